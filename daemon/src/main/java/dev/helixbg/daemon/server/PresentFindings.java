package dev.helixbg.daemon.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.QuotedName;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.Act;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.acts.ActNames;
import dev.helixbg.insight.acts.ActPlan;
import dev.helixbg.insight.acts.ActPlan.HelixCall;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.acts.FileEdit;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.SaidText;
import dev.helixbg.insight.notes.NoteFiles;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.report.FirstLook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Compares the findings of the last report with the present log, and returns the present names of
 * their entries and the possible edits.
 */
public final class PresentFindings {
  private final Supplier<PresentEntries> log;

  /**
   * Entries of the present log; null until it is read, which can wait if the report was made from
   * it.
   */
  private PresentEntries entries;

  private PresentFindings(Supplier<PresentEntries> log) {
    this.log = log;
  }

  public PresentFindings(PresentEntries entries) {
    this.log = () -> entries;
    this.entries = entries;
  }

  /** Reads the log when it has stopped changing. */
  public static PresentFindings read(Kb kb, String modelId) throws InterruptedException {
    return new PresentFindings(new PresentEntries(DataLog.readQuiet(kb.dataLog()), modelId));
  }

  /** Returns the last report's findings. Reads the log at once only if it has changed since. */
  static PresentFindings of(KbStore store, String modelId) throws InterruptedException {
    boolean isOfReport =
        store.report().origin().filter(made -> store.outputs().isLog(made.logSha256())).isPresent();
    return isOfReport
        ? new PresentFindings(() -> new PresentEntries(DataLog.read(store.kb().dataLog()), modelId))
        : read(store.kb(), modelId);
  }

  public synchronized PresentEntries entries() {
    if (entries == null) {
      entries = log.get();
    }
    return entries;
  }

  private synchronized boolean isAsReported() {
    return entries == null;
  }

  /** Returns how many of the present entries the last report covers completely. */
  public Coverage coverage(LastReport report, LastReport.Origin made) {
    int total = isAsReported() ? report.entries().size() : entries().all().size();
    long there = total;
    if (!isAsReported() && !made.logSha256().equals(entries().log().sha256())) {
      Set<String> known = Set.copyOf(report.entries());
      there = entries().all().stream().filter(one -> known.contains(one.key())).count();
    }
    int partly = made.firstLook().map(FirstLook::entries).orElse(0);
    return new Coverage((int) Math.max(0, there - partly), total);
  }

  /**
   * Whether a finding no longer fits the log: an entry or topic is gone, no copy can be removed, or
   * an entry no longer mentions the source.
   */
  public boolean isStale(ReportedFinding finding) {
    if (isAsReported()) {
      return false;
    }
    return switch (finding.section()) {
      case "topicOverlaps" -> finding.topics().stream().anyMatch(topic -> entries().in(topic) == 0);
      case "copies" -> Acts.onCopies(entries().allOf(finding.keys())).isEmpty();
      case ReportedFinding.MOVED_SOURCES -> sayer(finding).isEmpty();
      default -> !finding.keys().isEmpty() && entries().of(finding.keys()).isEmpty();
    };
  }

  private Optional<NamedEntry> sayer(ReportedFinding finding) {
    return entries()
        .of(finding.keys())
        .map(List::getFirst)
        .filter(one -> one.entry().body().contains(finding.named().orElse("")));
  }

  /** Returns the finding with the present titles and names of its entries. */
  public ReportedFinding now(ReportedFinding finding) {
    if (isAsReported()) {
      return finding;
    }
    List<NamedEntry> now =
        finding.section().equals("copies")
            ? entries().allOf(finding.keys())
            : entries().of(finding.keys()).orElse(List.of());
    return now.isEmpty() ? finding : finding.now(now);
  }

  /**
   * Returns the possible edits; none if the finding is stale. {@code as} overrides the report's
   * verdict.
   */
  private List<Act> acts(ReportedFinding finding, Optional<Verdict> as) {
    List<NamedEntry> all = entries().of(finding.keys()).orElse(List.of());
    if (isStale(finding)) {
      return List.of();
    }
    return switch (finding.section()) {
      case "topicOverlaps" -> {
        List<String> topics = List.copyOf(finding.topics());
        String a = topics.get(0);
        String b = topics.get(1);
        yield Acts.onOverlap(a, entries().in(a), b, entries().in(b));
      }
      case "copies" -> Acts.onCopies(entries().allOf(finding.keys()));
      case ReportedFinding.MOVED_SOURCES ->
          Acts.onMoved(all.getFirst(), finding.named().orElseThrow(), finding.proposed());
      case ReportedFinding.LESSONS -> Acts.onLesson(all, finding.proposed().orElseThrow());
      case "merges" -> Acts.onMerge(all, finding.proposed().orElseThrow());
      default ->
          all.size() == 2 ? Acts.on(all.get(0), all.get(1), as.or(finding::verdict)) : List.of();
    };
  }

  /** Returns the reason why the log does not show a finding as done; empty if it does. */
  public Optional<String> notDone(ReportedFinding finding) {
    List<NamedEntry> all = entries().of(finding.keys()).orElse(List.of());
    boolean isDone =
        switch (finding.section()) {
          case ReportedFinding.LESSONS -> all.isEmpty() || Acts.areGathered(entries().all(), all);
          case ReportedFinding.RELATIONS ->
              all.size() != 2 || Acts.areLinked(all.get(0), all.get(1));
          default -> isStale(finding);
        };
    return isDone ? Optional.empty() : Optional.of("its entries have not changed");
  }

  /** Replaces the entries' names in a line of the report by their present names. */
  void rename(ReportedFinding finding, ObjectNode line) {
    if (isAsReported()) {
      return;
    }
    if (isStale(finding)) {
      line.put("stale", true);
    }
    entries()
        .of(finding.keys())
        .ifPresent(
            found -> {
              List<String> sides = line.has("entry") ? List.of("entry") : FindingRequests.SIDES;
              for (int i = 0; i < Math.min(sides.size(), found.size()); i++) {
                if (line.path(sides.get(i)) instanceof ObjectNode entry) {
                  entry.put("name", found.get(i).name()).put("index", found.get(i).index());
                }
              }
            });
  }

  /** Returns the possible edits as JSON, each with the verdicts that call for it. */
  ArrayNode ways(ReportedFinding finding) {
    return Json.array(acts(finding, Optional.empty()), act -> way(act, Json.object()));
  }

  private static ObjectNode way(Act act, ObjectNode json) {
    act.when().forEach(when -> json.withArray("if").add(when.title()));
    return json.put("do", act.words());
  }

  /**
   * Returns one complete edit: checks, calls in order, losses, and undo. The first call is
   * helix-bg's own {@code act}, which checks the plan. If calls append marks (lines) to notes,
   * another {@code act} checks the marks.
   *
   * @param as the verdict of the agent or user, which selects one of several edits
   * @param keep the entry to keep, {@code a} or {@code b}; by default the more detailed or newer
   *     one
   * @throws Failure when the finding is stale, or there is nothing to do
   */
  ObjectNode act(
      ReportedFinding finding,
      Optional<String> as,
      Optional<String> keep,
      Optional<NotesKb> notes) {
    if (isStale(finding)) {
      throw Failure.usage(
          ("stale: since %s was found, %s was changed or removed in the log. List the findings"
                  + " again")
              .formatted(finding.id(), QuotedName.of(finding.about())));
    }
    List<Act> acts = acts(finding, as.flatMap(Verdict::titled));
    if (keep.isPresent()) {
      acts = keeping(finding, acts, keep.get());
    }
    if (acts.isEmpty()) {
      if (finding.section().equals("secrets")) {
        throw Failure.usage(
            ("helix-bg plans no edit for %s: remove the secret from the entry yourself, and have a"
                    + " new secret issued")
                .formatted(finding.id()));
      }
      throw Failure.usage(
          "no edit is needed for %s: its entries are linked already, or have nothing to do"
                  .formatted(finding.id())
              + " with each other");
    }
    ObjectNode line = Json.object().put("id", finding.id()).put("kind", finding.kind());
    line.putObject("log")
        .put("bytes", entries().log().bytes())
        .put("sha256", entries().log().sha256());
    Optional<String> needed =
        acts.getFirst().change() instanceof Change.Remove(List<NamedEntry> gone, NamedEntry kept)
            ? Acts.lacks(kept, gone.getFirst())
            : Optional.empty();
    if (acts.size() > 1) {
      needed.ifPresent(why -> line.put("why", why));
      ArrayNode choices = line.putArray("choose");
      acts.forEach(act -> way(act, choices.addObject()).set("names", ActNames.of(act)));
      return line;
    }
    Act act = acts.getFirst();
    way(act, line).set("names", ActNames.of(act));
    ActPlan plan = entries().plan(act);
    List<String> losses = new ArrayList<>(plan.losses());
    needed.ifPresent(why -> losses.add("perhaps more than a repetition: " + why));
    plan.byHand().ifPresent(why -> line.put("byHand", why));
    if (notes.isPresent()) {
      NotesKb of = notes.get();
      if (finding.section().equals("copies") && act.change() instanceof Change.Remove copies) {
        losses.addAll(differences(copies, of.look()));
        losses.forEach(
            loss ->
                line.put("byHand", loss + ": compare them first; " + line.path("byHand").asText()));
      }
      line.set("edits", Json.array(FileEdit.of(act.change(), of::look, of.items()), Json::of));
    }
    ArrayNode checks = line.putArray("checks");
    for (ActPlan.Check check : plan.checks()) {
      checks.addObject().put("entries", check.entries()).set("call", check.call().toJson());
    }
    ArrayNode calls = line.putArray("calls");
    if (plan.byHand().isEmpty()) {
      line.put("plan", plan.name());
      ObjectNode look = look(calls, finding.id()).put("plan", plan.name());
      as.ifPresent(what -> look.put("as", what));
      keep.ifPresent(side -> look.put("keep", side));
      calls.addAll(toJson(plan.marks()));
      if (!plan.marks().isEmpty()) {
        look(calls, finding.id()).put("marked", String.join(" ", plan.marked()));
      }
      calls.addAll(toJson(plan.calls()));
    }
    losses.forEach(line.putArray("losses")::add);
    return line.set("undo", toJson(plan.undo()));
  }

  /**
   * Returns at most one sentence, which names copies that may differ in parts that were not
   * compared, such as front matter.
   */
  private static List<String> differences(Change.Remove copies, NoteFiles files) {
    NoteName kept = NoteName.of(copies.kept().entry()).orElseThrow();
    List<String> other =
        copies.gone().stream()
            .filter(gone -> mayDiffer(gone, kept, files))
            .map(gone -> NoteName.of(gone.entry()).orElseThrow().words())
            .toList();
    return other.isEmpty()
        ? List.of()
        : List.of(
            "%s may differ from %s in parts that are not compared, such as front matter or embedded data"
                .formatted(String.join(" and ", other), kept.words()));
  }

  private static boolean mayDiffer(NamedEntry gone, NoteName kept, NoteFiles files) {
    NoteName place = NoteName.of(gone.entry()).orElseThrow();
    if (!place.isWholeFile()) {
      return gone.content().contains(SaidText.MARK);
    }
    try {
      Optional<Path> file = files.file(place.file());
      Optional<Path> other = files.file(kept.file());
      return file.isEmpty() || other.isEmpty() || Files.mismatch(file.get(), other.get()) >= 0;
    } catch (IOException e) {
      return true; // a file that cannot be read is not known to be the same
    }
  }

  private List<Act> keeping(ReportedFinding finding, List<Act> acts, String side) {
    List<NamedEntry> pair = entries().of(finding.keys()).orElse(List.of());
    List<Act> removals =
        acts.stream().filter(act -> act.change() instanceof Change.Remove).toList();
    if (pair.size() != 2 || removals.isEmpty()) {
      throw Failure.usage("\"keep\" is valid only if the edit removes one entry of a pair");
    }
    NamedEntry kept = pair.get(side.equals("a") ? 0 : 1);
    NamedEntry gone = pair.get(side.equals("a") ? 1 : 0);
    return List.of(new Act(removals.getFirst().when(), new Change.Remove(List.of(gone), kept)));
  }

  private static ObjectNode look(ArrayNode calls, String id) {
    return calls.addObject().put("name", "act").putObject("arguments").put("id", id);
  }

  /** Fails unless {@code act}, an edit that was planned again, has the plan named {@code plan}. */
  static ObjectNode confirmed(ObjectNode act, String plan) {
    if (!act.path("plan").asText().equals(plan)) {
      throw Failure.usage(
          "stale: the log has changed since this plan was made. Do not run these calls; request a"
              + " new plan: call 'act'");
    }
    return act.retain("id", "kind", "log", "do", "plan").put("holds", true);
  }

  /**
   * Fails unless each note of a plan still ends in its mark (a line that an earlier call has
   * appended).
   */
  ObjectNode marked(String id, List<String> hashes) {
    if (!entries().areMarked(hashes)) {
      throw Failure.usage(
          "stop here: a note that the next calls would remove or rewrite has just changed, or lacks"
              + " the line (helix-bg: …) that an earlier call appends. Make no more of these calls."
              + " Remove such lines by hand, then call 'act' again");
    }
    return Json.object().put("id", id).put("holds", true);
  }

  private static ArrayNode toJson(List<HelixCall> calls) {
    return Json.array(calls, HelixCall::toJson);
  }
}
