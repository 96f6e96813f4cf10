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
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Handler of requests about a knowledge base's last report.
 *
 * @param notes the notes that the knowledge base is made from, if any
 */
public record FindingRequests(KbStore store, Optional<NotesKb> notes, PresentFindings present) {
  /** Maximum number of findings in an answer, and of entries in a finding. */
  private static final int MOST = 100;

  private static final int USUAL = 10;

  private static final int LONGEST_ID = 80;

  /** Verdicts on a pair that call for an edit. */
  public static final List<String> WAYS = List.of("same", "overtaken", "related");

  public static final List<String> SIDES = List.of("a", "b");

  /**
   * Returns a handler. If the log has changed since the last report, waits until it stops changing,
   * and reads it.
   */
  public static FindingRequests of(KbStore store, Settings settings, String modelId)
      throws InterruptedException {
    return new FindingRequests(
        store, NotesKb.of(store.kb(), settings), PresentFindings.of(store, modelId));
  }

  /**
   * Returns open findings, the most valuable first. The first line has their total number, and the
   * number of findings that were left out because their entries have changed. Each further line is
   * one finding in the form of report.json, with its kind.
   *
   * @param request request with optional {@code kind}, {@code topic}, {@code verdict}, {@code from}
   *     and {@code limit}
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
            .map(name -> KbTopics.require(topics(), name));
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
    answer.addAll(lines(page, decisions, true));
    return answer;
  }

  private Stream<String> topics() {
    return present.entries().all().stream().map(one -> one.entry().topic());
  }

  /** Returns a message if no pair has a verdict. */
  public static Optional<String> unjudged(LastReport.Listing listing) {
    return listing.findings().stream().anyMatch(one -> one.verdict().isPresent())
        ? Optional.empty()
        : Optional.of(
            "No pair has a verdict: neither a language model nor an agent has judged one. The pair"
                + " judge's findings are listed without a verdict.");
  }

  /** Returns a sentence on the reliability of each coding agent that answered questions. */
  public List<String> agents() {
    return store.agents().clients().stream().map(AgentSayings.Trust::words).toList();
  }

  /**
   * Returns findings in the form of report.json, with kind, decision, and present names. Leaves out
   * findings that a newer report no longer has.
   *
   * @param withEdits whether the lines also list the possible edits
   */
  public List<ObjectNode> lines(
      List<ReportedFinding> findings, Decisions decisions, boolean withEdits) {
    Map<ReportedFinding, JsonNode> told = store.report().told(findings);
    return findings.stream()
        .filter(told::containsKey)
        .map(finding -> line(finding, told.get(finding), decisions, withEdits))
        .toList();
  }

  public Coverage coverage(LastReport.Listing listing) {
    return present.coverage(store.report(), listing.origin());
  }

  /** Returns one finding of the report, even if a decision has settled it. */
  public ObjectNode one(ObjectNode request) {
    String id = request.path("id").asText();
    Decisions decisions = store.decisions().read();
    LastReport.Listing listing = store.report().list();
    ReportedFinding finding = listing.find(id).orElseThrow(() -> absent(id, listing, decisions));
    JsonNode told = store.report().told(List.of(finding)).get(finding);
    if (told == null) { // a new report has just replaced this one
      throw unknown(id, listing);
    }
    return line(finding, told, decisions, true).setAll(SearchAnswer.toJson(coverage(listing)));
  }

  /**
   * Returns the edit for a finding; see {@link PresentFindings#act}.
   *
   * @param request request with {@code id} and optionally {@code as} and {@code keep}. If it has
   *     {@code plan}, the method only checks that this plan is still valid. If it has {@code
   *     marked}, the method only checks the lines that the plan's calls append to notes.
   */
  public ObjectNode act(ObjectNode request) {
    String id = request.path("id").asText();
    if (request.has("marked")) {
      return present.marked(id, List.of(request.path("marked").asText().split(" ")));
    }
    Decisions decisions = store.decisions().read();
    LastReport.Listing listing = store.report().list();
    return act(
        listing.find(id).orElseThrow(() -> absent(id, listing, decisions)), decisions, request);
  }

  /** Returns the edit for a finding; the caller has read the finding and the decisions. */
  public ObjectNode act(ReportedFinding finding, Decisions decisions, ObjectNode request) {
    Optional<String> as = choice(request, "as", WAYS);
    Optional<String> keep = choice(request, "keep", SIDES);
    Optional<String> plan = Optional.ofNullable(request.path("plan").textValue());
    if (decisions.on(finding.id()).isPresent()) {
      throw Failure.usage(finding.id() + " is dismissed or done: first undo this decision");
    }
    ObjectNode act = present.act(finding, as, keep, notes);
    notes
        .map(NotesKb::notes)
        .map(path -> Files.isRegularFile(path) ? path.getParent() : path)
        .ifPresent(path -> act.put("folder", path.toString()));
    return plan.isEmpty() ? act : PresentFindings.confirmed(act, plan.get());
  }

  private static Optional<String> choice(ObjectNode request, String field, List<String> among) {
    Optional<String> given = Optional.ofNullable(request.path(field).textValue());
    if (given.isPresent() && !among.contains(given.get())) {
      throw Failure.usage("\"%s\" must be one of %s".formatted(field, String.join(", ", among)));
    }
    return given;
  }

  private static Failure absent(String id, LastReport.Listing listing, Decisions decisions) {
    return decisions.lastOn(id).isPresent() && decisions.on(id).isEmpty()
        ? Failure.usage(
            id
                + " is not in the last report. If its decision was undone, the next report lists it"
                + " again")
        : unknown(id, listing);
  }

  private static Failure unknown(String id, LastReport.Listing listing) {
    return Failure.usage(
        "there is no finding "
            + PrintableText.excerpt(id, LONGEST_ID)
            + NearestName.meant(id, listing.ids(), "; the list of findings has all ids"));
  }

  /** Returns the matching findings that are not settled, in the report's order. */
  public static List<ReportedFinding> open(
      LastReport.Listing listing, Decisions decisions, Predicate<ReportedFinding> wanted) {
    return listing.findings().stream()
        .filter(wanted)
        .filter(finding -> decisions.on(finding.id()).isEmpty())
        .toList();
  }

  private ObjectNode line(
      ReportedFinding finding, JsonNode json, Decisions decisions, boolean withEdits) {
    ObjectNode line = Json.object().put("kind", finding.kind());
    json.properties().forEach(field -> line.set(field.getKey(), field.getValue()));
    decisions.on(finding.id()).ifPresent(decision -> line.set("decision", said(decision)));
    if (line.path("entries") instanceof ArrayNode entries && entries.size() > MOST) {
      line.put("entriesOmitted", entries.size() - MOST);
      while (entries.size() > MOST) {
        entries.remove(entries.size() - 1);
      }
    }
    present.rename(finding, line);
    if (withEdits) {
      line.set("edit", present.ways(finding));
    }
    return line;
  }

  private static ObjectNode said(Decision decision) {
    return Json.object()
        .put("decision", Json.word(decision.outcome()))
        .put("by", Json.word(decision.by()))
        .put("at", decision.at().toString())
        .put("reason", decision.reason());
  }

  /**
   * Stores a decision. The client counts as an agent, unless {@code by} says that it is a person.
   * An agent may decide {@code done} only if the log shows that the finding is done. If a person
   * decides {@code done} before the log shows it, the finding is dismissed, because the next run
   * would find it again.
   *
   * @param request request with {@code id} and {@code decision}, and optionally {@code by} and
   *     {@code reason}
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
    // After an undo, the finding returns to the list only with the next report.
    Optional<String> about =
        before.lastOn(id).map(Decision::about).or(() -> found.map(ReportedFinding::about));
    // A finding may have left the report before it is decided as done.
    if (about.isEmpty() && (verdict != Outcome.DONE || !Decision.isId(id))) {
      throw unknown(id, listing.orElseThrow());
    }
    if (verdict == Outcome.OPEN) {
      Decision last = settled.orElseThrow(() -> Failure.usage("there is no decision on " + id));
      if (by == By.AGENT && last.by() == By.PERSON) {
        throw Failure.usage(
            ("a person decided on %s, and only a person can take this decision back: helix-bg undo"
                    + " %s")
                .formatted(id, id));
      }
    }
    Optional<String> notDone =
        verdict != Outcome.DONE ? Optional.empty() : found.flatMap(present::notDone);
    if (notDone.isPresent() && by == By.AGENT) {
      throw Failure.usage(
          ("%s is not recorded as done, because the log does not show the edit: %s. First make the"
                      + " edit that the tool 'act' describes, or")
                  .formatted(id, notDone.get())
              + " decide 'dismissed'");
    }
    Decision made =
        new Decision(
            id,
            notDone.isPresent() ? Outcome.DISMISSED : verdict,
            at,
            about.orElse(""),
            by,
            request.path("reason").asText());
    store.decisions().add(List.of(made));
    ObjectNode noted = said(made).put("id", id).put("about", made.about());
    notDone.ifPresent(why -> noted.put("notInLog", why));
    return noted;
  }

  private static Outcome verdict(String name) {
    return Arrays.stream(Outcome.values())
        .filter(verdict -> Json.word(verdict).equals(name))
        .findFirst()
        .orElseThrow(() -> Failure.usage("\"decision\" must be one of dismissed, done, open"));
  }
}
