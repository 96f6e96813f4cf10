package dev.helixbg.daemon.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.ActRun.Outcome;
import dev.helixbg.daemon.tidy.ActRun.State;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests acts through a stand-in for helix: complete, after a change of the log, and stopped at each
 * call.
 */
class ActRunTest {
  private static final String SHORT = "A lease ends after thirty seconds.";
  private static final String LONG = "A lease of a worker ends after thirty seconds, not sooner.";

  @TempDir Path folder;
  private TidyKb kb;
  private String id;

  @BeforeEach
  void aPair() throws Exception {
    kb = withAPair(folder);
  }

  private TidyKb withAPair(Path of) throws Exception {
    TidyKb made = new TidyKb(of).note("queue", SHORT).note("queue", LONG).note("web", "Ports.");
    made.call("store", "topic", "web", "text", "See the lease.", "links", "queue:0");
    id = made.pair("queue:0", "queue:1");
    return made.report();
  }

  private ObjectNode plan(String... namesAndValues) throws Exception {
    ObjectNode request = Json.object().put("id", id);
    for (int i = 0; i < namesAndValues.length; i += 2) {
      request.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return kb.acts.findings().act(request);
  }

  private boolean isSettled() throws Exception {
    return !kb.store.decisions().read().settled().isEmpty();
  }

  @Test
  void theShorterOneGoesAndLinksLeadToTheOther() throws Exception {
    Outcome outcome = kb.acts.run(plan("as", "same"), kb.helix);

    assertEquals(State.DONE, outcome.state(), outcome.why());
    assertEquals(List.of(LONG), kb.texts("queue"));
    assertEquals("queue:0", link(kb));
    assertTrue(isSettled());
    assertEquals(1, outcome.undo().size());
  }

  private static String link(TidyKb kb) {
    return kb.live().stream()
        .flatMap(one -> one.entry().text().links().stream())
        .map(link -> link.topic() + ":" + link.index())
        .reduce("", String::concat);
  }

  @Test
  void theOneThatIsNamedStays() throws Exception {
    ObjectNode act = plan("as", "same", "keep", "a");
    Outcome outcome = kb.acts.run(act, kb.helix);

    assertEquals(State.DONE, outcome.state(), outcome.why());
    assertEquals(List.of(SHORT), kb.texts("queue"));
    assertEquals("a", act.at("/calls/0/arguments/keep").asText(), "an agent's look says it, too");
  }

  @Test
  void whatCannotBeKeptIsRefused() {
    assertThrows(Failure.class, () -> plan("as", "same", "keep", "c"));
    assertThrows(Failure.class, () -> plan("as", "related", "keep", "a"));
  }

  @Test
  void aLinkIsWritten() throws Exception {
    assertEquals(State.DONE, kb.acts.run(plan("as", "related"), kb.helix).state());
    assertEquals(2, kb.texts("queue").size());
    assertTrue(link(kb).contains("queue:0"));
  }

  @Test
  void anotherNoteOfTheTopicMakesThePlanStaleAndNothingIsChanged() throws Exception {
    ObjectNode act = plan("as", "same");
    kb.note("queue", "Written by another.");
    Outcome outcome = kb.acts.run(act, kb.helix);

    assertEquals(State.STALE, outcome.state());
    assertEquals(List.of(SHORT, LONG, "Written by another."), kb.texts("queue"));
    assertFalse(isSettled());
    assertEquals(State.DONE, kb.acts.run(plan("as", "same"), kb.helix).state());
  }

  @Test
  void aNoteThatIsChangedBetweenCheckAndLookMakesThePlanStale() throws Exception {
    ObjectNode act = plan("as", "same");
    Outcome outcome = kb.acts.run(act, afterTheFirstCheck());

    assertEquals(State.STALE, outcome.state());
    assertEquals(2, kb.texts("queue").size());
  }

  /** Returns a helix to whose log another program writes right after the first check. */
  private Helix afterTheFirstCheck() {
    return new FileHelix(kb.kb.dataLog()) {
      private boolean over;

      @Override
      public String call(String tool, Map<String, String> arguments) {
        String answer = super.call(tool, arguments);
        if (!over) {
          over = true;
          call("edit", "action", "append", "topic", "queue", "match_str", SHORT, "text", "More.");
        }
        return answer;
      }
    };
  }

  /** Ends helix before each call in turn. The outcome must describe what the log shows. */
  @Test
  void stoppedAtEachCallItSaysWhatWasDone() throws Exception {
    ObjectNode act = plan("as", "same");
    long edits =
        act.path("calls")
            .valueStream()
            .filter(call -> !call.path("name").asText().equals("act"))
            .count();
    for (int survives = 0; survives < edits; survives++) {
      TidyKb one = withAPair(folder.resolve("stopped" + survives));
      JsonNode planned = one.acts.findings().act(Json.object().put("id", id).put("as", "same"));
      Outcome outcome = one.acts.run(planned, one.refusingAfter(survives));

      assertEquals(survives == 0 ? State.UNDONE : State.FAILED, outcome.state());
      assertEquals(survives, outcome.made().size());
      boolean isMarked = String.join("\n", one.texts("queue")).contains("(helix-bg: ");
      assertEquals(isMarked, !outcome.marks().isEmpty(), "after " + survives);
      boolean isGone = one.texts("queue").size() == 1;
      assertEquals(isGone, !outcome.undo().isEmpty(), "after " + survives);
      assertTrue(one.store.decisions().read().settled().isEmpty());
    }
  }

  @Test
  void anAnswerThatDoesNotComeCountsAsACallThatMayBeDone() throws Exception {
    Outcome outcome = kb.acts.run(plan("as", "same"), silent());

    assertEquals(State.FAILED, outcome.state());
    assertEquals(1, outcome.made().size());
    assertTrue(outcome.why().contains("may have been carried out"), outcome.why());
  }

  @Test
  void ofAnotherKnowledgeBaseNothingIsAsked() throws Exception {
    TidyKb other = new TidyKb(folder.resolve("other")).note("elsewhere", "Nothing.");
    Outcome outcome = kb.acts.run(plan("as", "same"), other.helix);

    assertEquals(State.UNDONE, outcome.state());
    assertEquals(List.of("Nothing."), other.texts("elsewhere"));
  }

  @Test
  void whatIsDoneIsTakenBack() throws Exception {
    Outcome outcome = kb.acts.run(plan("as", "same"), kb.helix);
    Outcome back = kb.acts.takeBack(id, outcome.undo(), kb.helix);

    assertEquals(State.DONE, back.state(), back.why());
    assertEquals(List.of(LONG, SHORT), kb.texts("queue"));
    assertFalse(isSettled());
  }

  /** Returns a helix that carries out each edit, but does not answer. */
  private Helix silent() {
    return new FileHelix(kb.kb.dataLog()) {
      @Override
      public String call(String tool, Map<String, String> arguments) {
        String answer = super.call(tool, arguments);
        if (!tool.equals("topics")) {
          throw new Refusal("helix does not answer", false);
        }
        return answer;
      }
    };
  }

  @Test
  void anUndoWithoutAnAnswerMayHaveChangedANote() throws Exception {
    Outcome outcome = kb.acts.run(plan("as", "same"), kb.helix);
    Outcome back = kb.acts.takeBack(id, outcome.undo(), silent());

    assertEquals(State.FAILED, back.state());
    assertTrue(back.why().contains("may have been carried out"), back.why());
  }
}
