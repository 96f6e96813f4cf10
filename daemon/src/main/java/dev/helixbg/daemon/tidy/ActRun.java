package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.PresentFindings;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Carries out an act (a planned edit) with helix, and stops at the first step that fails. Between
 * helix's calls, checks that the plan still fits the log. If the log shows the change at the end,
 * records the finding as done.
 */
public record ActRun(KbStore store, Settings settings, String modelId) {
  /** Maximum wait for an act; enough for a few calls, even if the last call gets no answer. */
  public static final Duration LONGEST = Duration.ofMinutes(1);

  /** Beginning of a line that lists one entry in helix's answer. */
  private static final Pattern LISTED = Pattern.compile("(?m)^ +\\[\\d+\\]");

  public enum State {
    /** The log shows the change. */
    DONE(ExitCode.OK),
    /** The log changed after the plan was made; no note was changed. */
    STALE(ExitCode.STALE),
    /** The act stopped after its first change. */
    FAILED(ExitCode.PARTLY),
    /** No note was changed, and a second try does not help. */
    UNDONE(ExitCode.UNDONE);

    private final ExitCode code;

    State(ExitCode code) {
      this.code = code;
    }

    public ExitCode code() {
      return code;
    }
  }

  /**
   * Outcome of an act. {@code why} is empty if the act is done. {@code made} are the calls that
   * helix got, and {@code undo} are calls that reverse them as far as possible. {@code marks} are
   * lines in notes that must be removed by hand.
   */
  public record Outcome(
      State state, String why, List<JsonNode> made, List<JsonNode> undo, List<String> marks) {

    static Outcome done() {
      return nothing(State.DONE, "");
    }

    static Outcome nothing(State state, String why) {
      return new Outcome(state, why, List.of(), List.of(), List.of());
    }

    public ObjectNode toJson() {
      ObjectNode json = Json.object().put("state", Json.word(state)).put("why", why);
      json.set("made", Json.array(made, call -> call));
      json.set("undo", Json.array(undo, call -> call));
      marks.forEach(json.putArray("marks")::add);
      return json;
    }
  }

  public FindingRequests findings() throws InterruptedException {
    return FindingRequests.of(store, settings, modelId);
  }

  /** Returns the present findings. Reads the log at once, because helix has finished its call. */
  private FindingRequests afterCall() {
    PresentEntries now = new PresentEntries(DataLog.read(store.kb().dataLog()), modelId);
    return new FindingRequests(store, Optional.empty(), new PresentFindings(now));
  }

  /** Carries out an act that {@link FindingRequests#act} has planned just before. */
  public Outcome run(JsonNode act, Helix helix) throws IOException, InterruptedException {
    String id = act.path("id").asText();
    Optional<ReportedFinding> finding = store.report().list().find(id);
    if (finding.isEmpty()) {
      return Outcome.nothing(State.STALE, "the newest report does not contain " + id);
    }
    for (JsonNode check : act.path("checks")) {
      Outcome checked = check(check, helix);
      if (checked.state() != State.DONE) {
        return checked;
      }
    }
    List<JsonNode> made = new ArrayList<>();
    for (JsonNode call : act.path("calls")) {
      try {
        if (call.path("name").asText().equals("act")) {
          FindingRequests now = made.isEmpty() ? findings() : afterCall();
          now.act(call.path("arguments").deepCopy());
        } else {
          helix.call(call.path("name").asText(), arguments(call));
          made.add(call);
        }
      } catch (Failure e) {
        return stopped(act, made, State.STALE, e.getMessage());
      } catch (Helix.Refusal e) {
        return refused(act, made, call, e);
      }
    }
    Optional<String> missing = noteIfDone(afterCall(), finding.get());
    if (missing.isPresent()) {
      return stopped(
          act, made, State.FAILED, "helix made all calls, but the log shows: " + missing.get());
    }
    return new Outcome(State.DONE, "", made, undo(act, made), List.of());
  }

  private static Outcome check(JsonNode check, Helix helix) {
    String topic = check.at("/call/arguments/topic").asText();
    int entries = check.path("entries").asInt();
    try {
      String answer = helix.call(check.at("/call/name").asText(), arguments(check.path("call")));
      return answer.lines().anyMatch(line -> line.equals(entries + " entries in " + topic))
          ? Outcome.done()
          : Outcome.nothing(
              State.STALE,
              "in %s, helix counts a different number of entries than the log has (%d)"
                  .formatted(topic, entries));
    } catch (Helix.Refusal e) {
      return Outcome.nothing(
          State.UNDONE, "helix does not have the topic " + topic + ": " + e.getMessage());
    }
  }

  private static Outcome stopped(JsonNode act, List<JsonNode> made, State ifNoneMade, String why) {
    return made.isEmpty()
        ? Outcome.nothing(ifNoneMade, why)
        : new Outcome(State.FAILED, why, List.copyOf(made), undo(act, made), marks(act, made));
  }

  private static List<JsonNode> undo(JsonNode act, List<JsonNode> made) {
    int edits = Math.max(0, made.size() - marking(act).size());
    return act.path("undo").valueStream().limit(edits).toList();
  }

  /** Returns the marks (lines appended to notes) that later calls have not removed or rewritten. */
  private static List<String> marks(JsonNode act, List<JsonNode> made) {
    List<JsonNode> marking = marking(act);
    int edits = Math.max(0, made.size() - marking.size());
    return marking.stream()
        .limit(made.size())
        .filter(mark -> made.stream().skip(made.size() - edits).noneMatch(one -> ends(one, mark)))
        .map(
            mark ->
                mark.at("/arguments/topic").asText()
                    + ": "
                    + mark.at("/arguments/text").asText().strip())
        .toList();
  }

  private static boolean ends(JsonNode edit, JsonNode mark) {
    return edit.at("/arguments/match_str").equals(mark.at("/arguments/text"));
  }

  /** Returns the calls that append marks to notes: all calls before the plan's check of marks. */
  private static List<JsonNode> marking(JsonNode act) {
    List<JsonNode> marking = new ArrayList<>();
    for (JsonNode call : act.path("calls")) {
      if (call.at("/arguments").has("marked")) {
        return marking;
      }
      if (!call.path("name").asText().equals("act")) {
        marking.add(call);
      }
    }
    return List.of();
  }

  private static Outcome refused(
      JsonNode act, List<JsonNode> made, JsonNode call, Helix.Refusal refusal) {
    if (refusal.isCertain) {
      return stopped(act, made, State.UNDONE, "helix refused: " + refusal.getMessage());
    }
    made.add(call); // helix may have carried out the call
    return stopped(
        act,
        made,
        State.UNDONE,
        refusal.getMessage() + "; its last call may have been carried out");
  }

  /** Undoes an act by calls of helix; an {@code edit} is made only if it hits exactly one entry. */
  public Outcome takeBack(String id, List<JsonNode> calls, Helix helix)
      throws IOException, InterruptedException {
    List<JsonNode> made = new ArrayList<>();
    for (JsonNode call : calls) {
      try {
        if (call.path("name").asText().equals("edit") && !hitsOne(call, helix)) {
          return stopped(
              Json.object(), made, State.STALE, "the note that helix wrote has changed since then");
        }
        helix.call(call.path("name").asText(), arguments(call));
        made.add(call);
      } catch (Helix.Refusal e) {
        return refused(Json.object(), made, call, e);
      }
    }
    note(findings(), id, "open", "");
    return new Outcome(State.DONE, "", made, List.of(), List.of());
  }

  private static boolean hitsOne(JsonNode call, Helix helix) {
    Map<String, String> look = arguments(call);
    look.keySet().retainAll(List.of("topic", "match_str"));
    look.put("action", "entries");
    return LISTED.matcher(helix.call("topics", look)).results().count() == 1;
  }

  /** Whether two plans make the same changes, even if they are for different states of the log. */
  static boolean isSamePlan(ObjectNode a, ObjectNode b) {
    return a.deepCopy().without("log").equals(b.deepCopy().without("log"));
  }

  /** Records a finding as done if the log shows the change; otherwise returns what is missing. */
  static Optional<String> noteIfDone(FindingRequests now, ReportedFinding finding)
      throws IOException {
    Optional<String> missing = now.present().notDone(finding);
    if (missing.isEmpty()) {
      note(now, finding.id(), "done", "");
    }
    return missing;
  }

  static void note(FindingRequests findings, String id, String decision, String reason)
      throws IOException {
    findings.decide(
        Json.object()
            .put("id", id)
            .put("decision", decision)
            .put("by", "person")
            .put("reason", reason),
        Instant.now());
  }

  private static Map<String, String> arguments(JsonNode call) {
    Map<String, String> arguments = new LinkedHashMap<>();
    call.path("arguments")
        .properties()
        .forEach(argument -> arguments.put(argument.getKey(), argument.getValue().asText()));
    return arguments;
  }
}
