package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbTopics;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The findings of a knowledge base's last report, as the decisions of this moment leave them, and
 * what is decided on them.
 *
 * @param notes that the knowledge base is made of, if it is
 * @param present what the log has now
 */
public record FindingRequests(KbStore store, Optional<NotesKb> notes, PresentFindings present) {
  /** Findings at once, and entries of one of them. */
  private static final int MOST = 100;

  private static final int USUAL = 10;

  /** Longest unknown id in a message, in characters. */
  private static final int LONGEST_ID = 80;

  /** Answers on a pair that call for an act. */
  public static final List<String> WAYS = List.of("same", "overtaken", "related");

  /** The entries of a pair, as its finding has them. */
  public static final List<String> SIDES = List.of("a", "b");

  /** Reads the log, once it is quiet. */
  public static FindingRequests of(KbStore store, Settings settings, String modelId)
      throws InterruptedException {
    return new FindingRequests(
        store, NotesKb.of(store.kb(), settings), PresentFindings.read(store.kb(), modelId));
  }

  /**
   * Open findings, the most valuable first: a line that says how many there are, then each as
   * report.json has it, with its kind and the user's verdict.
   *
   * <p>Those whose entries are not there any more as the report has them are left out, and counted.
   *
   * @param request may have {@code kind}, {@code topic}, {@code verdict}, {@code from} and {@code
   *     limit}
   */
  List<ObjectNode> list(ObjectNode request) {
    int from = request.path("from").asInt(0);
    int limit = request.path("limit").asInt(USUAL);
    if (from < 0 || limit < 1 || limit > MOST) {
      throw Failure.usage("\"from\" must be 0 or more, and \"limit\" from 1 to " + MOST);
    }
    Optional<String> kind = Optional.ofNullable(request.path("kind").textValue());
    Optional<String> verdict = Optional.ofNullable(request.path("verdict").textValue());
    Optional<String> topic =
        Optional.ofNullable(request.path("topic").textValue())
            .map(name -> KbTopics.require(store.kb(), topics(), name));
    Decisions decisions = store.decisions().read();
    Predicate<ReportedFinding> wanted =
        finding ->
            kind.stream().allMatch(finding::isOf)
                && verdict.stream()
                    .allMatch(finding.verdict().map(Verdict::title).orElse("")::equals)
                && topic.stream().allMatch(finding.topics()::contains);
    LastReport.Listing listing = store.report().list();
    List<ReportedFinding> found = open(listing, decisions, wanted);
    List<ReportedFinding> open =
        found.stream().filter(finding -> !present.isStale(finding)).toList();
    ObjectNode counts =
        SearchAnswer.toJson(coverage(listing))
            .put("total", open.size())
            .put("from", from)
            .put("stale", found.size() - open.size());
    counts.set("agents", Json.texts(agents()));
    verdict.flatMap(_ -> unjudged(listing)).ifPresent(note -> counts.put("note", note));
    List<ObjectNode> answer = new ArrayList<>(List.of(counts));
    List<ReportedFinding> page =
        open.subList(Math.min(from, open.size()), (int) Math.min(from + (long) limit, open.size()));
    answer.addAll(lines(page, decisions));
    return answer;
  }

  private Stream<String> topics() {
    return present.entries().all().stream().map(one -> one.entry().topic());
  }

  /** Says so where no finding has a verdict, which does not mean that no pair deserves one. */
  public static Optional<String> unjudged(LastReport.Listing listing) {
    return listing.findings().stream().anyMatch(one -> one.verdict().isPresent())
        ? Optional.empty()
        : Optional.of(
            "No pair has a verdict: neither a language model nor an agent has judged one. The pair"
                + " judge's findings are listed without a verdict.");
  }

  /** How far the coding agents can be trusted that have answered questions, a sentence each. */
  public List<String> agents() {
    return store.agents().clients().stream().map(AgentSayings.Trust::words).toList();
  }

  /**
   * Findings as report.json has them, with their kind, what was decided, and the names that their
   * entries have now. One that a new report no longer has is left out.
   */
  public List<ObjectNode> lines(List<ReportedFinding> findings, Decisions decisions) {
    Map<ReportedFinding, JsonNode> told = store.report().told(findings);
    return findings.stream()
        .filter(told::containsKey)
        .map(finding -> line(finding, told.get(finding), decisions))
        .toList();
  }

  /** How many of the entries that are there now the last report knows. */
  public Coverage coverage(LastReport.Listing listing) {
    return present.coverage(store.report(), listing.origin());
  }

  /**
   * One finding, settled or not.
   *
   * @throws Failure when the last report has none of this id
   */
  public ObjectNode one(ObjectNode request) {
    String id = request.path("id").asText();
    Decisions decisions = store.decisions().read();
    LastReport.Listing listing = store.report().list();
    ReportedFinding finding = listing.find(id).orElseThrow(() -> unknown(id, listing));
    JsonNode told = store.report().told(List.of(finding)).get(finding);
    if (told == null) { // a new report came just now
      throw unknown(id, listing);
    }
    return line(finding, told, decisions).setAll(SearchAnswer.toJson(coverage(listing)));
  }

  /**
   * How one finding is carried out now; see {@link PresentFindings#act}.
   *
   * @param request has {@code id}, may have {@code as}, and of a pair {@code keep}: {@code a} or
   *     {@code b}; with {@code plan} it only looks whether those calls are right still, with {@code
   *     marked} whether their marks are where they should
   * @throws Failure when the last report has none of this id, when it is settled, when it is stale,
   *     and when the calls are not to be made
   */
  public ObjectNode act(ObjectNode request) {
    String id = request.path("id").asText();
    if (request.has("marked")) {
      return present.marked(id, List.of(request.path("marked").asText().split(" ")));
    }
    Decisions decisions = store.decisions().read();
    LastReport.Listing listing = store.report().list();
    return act(listing.find(id).orElseThrow(() -> unknown(id, listing)), decisions, request);
  }

  /** Says what to do about a finding, which was read together with the decisions. */
  public ObjectNode act(ReportedFinding finding, Decisions decisions, ObjectNode request) {
    Optional<String> as = Optional.ofNullable(request.path("as").textValue());
    Optional<String> plan = Optional.ofNullable(request.path("plan").textValue());
    if (as.isPresent() && !WAYS.contains(as.get())) {
      throw Failure.usage("\"as\" must be one of " + String.join(", ", WAYS));
    }
    Optional<String> keep = Optional.ofNullable(request.path("keep").textValue());
    if (keep.isPresent() && !SIDES.contains(keep.get())) {
      throw Failure.usage("\"keep\" must be one of " + String.join(", ", SIDES));
    }
    if (decisions.isSettled(finding.aliases())) {
      throw Failure.usage(finding.id() + " is settled: undo that first");
    }
    ObjectNode act = present.act(finding, opinion(finding, decisions), as, keep, notes);
    notes.ifPresent(made -> act.put("folder", made.notes().toString()));
    return plan.isEmpty() ? act : PresentFindings.confirmed(act, plan.get());
  }

  /** The user's verdict on a finding, if there is one. */
  private static Optional<Verdict> opinion(ReportedFinding finding, Decisions decisions) {
    return decisions.opinionOn(finding.id()).map(said -> Verdict.valueOf(said.outcome().name()));
  }

  private static Failure unknown(String id, LastReport.Listing listing) {
    return Failure.usage(
        "there is no finding "
            + PrintableText.excerpt(id, LONGEST_ID)
            + NearestName.meant(id, listing.ids(), "; the list of findings has all ids"));
  }

  /**
   * Lists wanted findings without those that are settled under any of their ids: first those that
   * the report leads with, then kind by kind.
   */
  public static List<ReportedFinding> open(
      LastReport.Listing listing, Decisions decisions, Predicate<ReportedFinding> wanted) {
    boolean decided = !decisions.settled().isEmpty(); // else no id has to be made of a hash
    return listing.findings().stream()
        .filter(wanted)
        .filter(finding -> !decided || !decisions.isSettled(finding.aliases()))
        .toList();
  }

  private ObjectNode line(ReportedFinding finding, JsonNode json, Decisions decisions) {
    ObjectNode line = Json.object().put("kind", finding.kind());
    json.properties().forEach(field -> line.set(field.getKey(), field.getValue()));
    finding.aliases().stream()
        .sorted()
        .flatMap(id -> decisions.on(id).stream())
        .findFirst()
        .ifPresent(decision -> line.set("decision", said(decision)));
    decisions.opinionOn(finding.id()).ifPresent(opinion -> line.set("opinion", said(opinion)));
    if (line.path("entries") instanceof ArrayNode entries && entries.size() > MOST) {
      line.put("entriesOmitted", entries.size() - MOST);
      while (entries.size() > MOST) {
        entries.remove(entries.size() - 1);
      }
    }
    return present.renamed(finding, line, opinion(finding, decisions));
  }

  private static ObjectNode said(Decision decision) {
    return Json.object()
        .put("decision", Json.word(decision.outcome()))
        .put("by", Json.word(decision.by()))
        .put("at", decision.at().toString())
        .put("reason", decision.reason());
  }

  /**
   * Writes a decision or an opinion down; only who says that they are a person is one. That
   * something is done must show in the log, or only a person may say so.
   *
   * @param request has {@code id} and {@code decision}, may have {@code by} and {@code reason}
   * @throws Failure for an unknown finding, when an agent would undo what a person decided, and
   *     when it says done of what the log does not show
   */
  public ObjectNode decide(ObjectNode request, Instant at) {
    String id = request.path("id").asText();
    Outcome verdict = verdict(request.path("decision").asText());
    By by = request.path("by").asText().equals(Json.word(By.PERSON)) ? By.PERSON : By.AGENT;
    Decisions before = store.decisions().read();
    Optional<Decision> settled = before.on(id);
    Optional<LastReport.Listing> listing =
        settled.isPresent() && verdict != Outcome.DONE
            ? Optional.empty()
            : Optional.of(store.report().list());
    Optional<ReportedFinding> found = listing.flatMap(all -> all.find(id));
    // A finding whose decision was taken back is in the list again with the next report.
    Optional<String> about =
        before.lastOn(id).map(Decision::about).or(() -> found.map(ReportedFinding::about));
    // A finding that was acted on may have left the report before it is called done.
    if (about.isEmpty() && (verdict != Outcome.DONE || !Decision.isId(id))) {
      throw unknown(id, listing.orElseThrow());
    }
    if (verdict == Outcome.OPEN) {
      Decision last = settled.orElseThrow(() -> Failure.usage("nothing was decided on " + id));
      if (by == By.AGENT && last.by() == By.PERSON) {
        throw Failure.usage(
            "a person decided on %s, and only a person takes that back: helix-bg undo %s"
                .formatted(id, id));
      }
    }
    Optional<String> notDone =
        verdict != Outcome.DONE ? Optional.empty() : found.flatMap(present::notDone);
    if (notDone.isPresent() && by == By.AGENT) {
      throw Failure.usage(
          "not noted: the log does not show that %s is done: %s. Carry out what act says first, or"
                  .formatted(id, notDone.get())
              + " decide dismissed");
    }
    Decision made =
        new Decision(id, verdict, at, about.orElse(""), by, request.path("reason").asText());
    store.decisions().add(List.of(made));
    ObjectNode noted = said(made).put("id", id).put("about", made.about());
    notDone.ifPresent(why -> noted.put("notInLog", why));
    return noted;
  }

  private static Outcome verdict(String name) {
    return Arrays.stream(Outcome.values())
        .filter(verdict -> Json.word(verdict).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                Failure.usage(
                    "\"decision\" must be one of dismissed, done, open, same, overtaken, related,"
                        + " different"));
  }
}
