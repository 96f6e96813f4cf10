package dev.helixbg.daemon.tidy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.decisions.Decision;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TidySessionTest {
  private static final String SHORT = "A lease ends after thirty seconds.";
  private static final String LONG = "A lease of a worker ends after thirty seconds, not sooner.";

  @TempDir Path folder;
  private TidyKb kb;
  private FakeDesk desk;
  private TidySession session;

  @BeforeEach
  void threeFindings() throws Exception {
    kb = new TidyKb(folder).note("queue", SHORT).note("queue", LONG);
    kb.note("web", "Port 8080 is taken.").note("ops", "Port 8080 is taken.");
    kb.note("auth", "Cookies are signed, and the key is new each week.").note("auth", "Tokens.");
    kb.pair("queue:0", "queue:1");
    kb.pair("auth:0", "auth:1");
    kb.copies("web:0", "ops:0");
    kb.report();
    desk = new FakeDesk(() -> kb.helix, folder.resolve("Trash"));
    session = session();
  }

  private TidySession session() throws Exception {
    return new TidySession(kb.list(), kb.acts, new Ink(true, false), desk);
  }

  private String screen(int columns, int rows) {
    List<AttributedString> lines = session.screen(columns, rows);
    assertEquals(rows, lines.size());
    lines.forEach(line -> assertTrue(line.columnLength() <= columns, line::toString));
    return lines.stream().map(AttributedString::toString).collect(Collectors.joining("\n"));
  }

  private String press(String... keys) throws Exception {
    for (String key : keys) {
      session.key(key);
    }
    return screen(100, 40);
  }

  private static void assertHas(String screen, String... texts) {
    for (String text : texts) {
      assertTrue(screen.contains(text), () -> "<" + text + "> is not on the screen:\n" + screen);
    }
  }

  private Map<String, Decision.Outcome> decided() throws Exception {
    return kb.store.decisions().read().settled().stream()
        .collect(Collectors.toMap(Decision::id, Decision::outcome));
  }

  private String goTo(String name) throws Exception {
    for (int i = 0; i < 10; i++) {
      String screen = press("n");
      if (screen.contains(name + " ") || screen.contains(name + "\n")) {
        return screen;
      }
    }
    throw new AssertionError("no finding about " + name);
  }

  private String show(String topic, String a, String b) throws Exception {
    kb.note(topic, a).note(topic, b);
    kb.pair(topic + ":0", topic + ":1");
    kb.report();
    return goTo(topic + ":0");
  }

  @Test
  void twoTextsAreSideBySideOnAWideScreenAndOneAfterTheOtherOnANarrowOne() throws Exception {
    goTo("queue:0");
    String wide = screen(120, 30);
    assertTrue(
        wide.lines().anyMatch(line -> line.contains("queue:0") && line.contains("queue:1")), wide);
    String narrow = screen(80, 24);
    assertFalse(
        narrow.lines().anyMatch(line -> line.contains("queue:0") && line.contains("queue:1")));
    assertHas(narrow, SHORT, "same", "overtaken", "link", "dismiss", "of 3, 0 done, 0 dismissed");
  }

  @Test
  void whatOnlyOneSaysIsMarked() throws Exception {
    goTo("queue:0");
    session = new TidySession(kb.list(), kb.acts, new Ink(false, true), desk);
    goTo("queue:0");
    assertHas(screen(80, 24), "[not sooner]");
  }

  @Test
  void nothingIsChangedBeforeEnterOnThePageThatSaysWhatWillBe() throws Exception {
    goTo("queue:0");
    byte[] before = Files.readAllBytes(kb.kb.dataLog());
    assertHas(press("s"), "Remove queue:0 and keep queue:1?", "goes", "stays", "carry it out");
    assertHas(press(), "All its words, except short and very common ones, are");
    press("esc", "o", "esc", "l", "esc", "d", "x", "esc", "?", "esc", "u", "z");
    assertArrayEquals(before, Files.readAllBytes(kb.kb.dataLog()));
    assertEquals(Map.of(), decided());
  }

  @Test
  void enterCarriesTheActOutAndGoesToTheNext() throws Exception {
    goTo("queue:0");
    String after = press("s", "enter");

    assertHas(after, "Done: remove queue:0 and keep queue:1", "1 done");
    assertEquals(List.of(LONG), kb.texts("queue"));
    assertEquals(1, session.summary(false).done());
    assertEquals(2, session.summary(false).left());
  }

  @Test
  void theOtherOneStays() throws Exception {
    goTo("queue:0");
    assertHas(press("s", "x"), "Remove queue:1 and keep queue:0?", "Only queue:1 says: ", "sooner");
    press("enter");
    assertEquals(List.of(SHORT), kb.texts("queue"));
  }

  @Test
  void whatWasDoneIsTakenBackThroughHelixAndIsFoundAgain() throws Exception {
    goTo("queue:0");
    press("s", "enter");
    assertHas(press("u"), "Take this back?", SHORT);
    String after = press("enter");

    assertEquals(List.of(LONG, SHORT), kb.texts("queue"));
    assertHas(after, "Taken back", "0 done", "A  queue:1", "B  queue:0", SHORT);
    assertEquals(Map.of(), decided());
  }

  @Test
  void dismissedWithAReasonAndTakenBack() throws Exception {
    goTo("auth:0");
    press("d", "n", "o", "ö", "x", "backspace", "enter");
    Decision made = kb.store.decisions().read().settled().iterator().next();
    assertEquals(Decision.Outcome.DISMISSED, made.outcome());
    assertEquals("noö", made.reason());
    assertEquals(Decision.By.PERSON, made.by());
    assertHas(press("u", "enter"), "Taken back", "0 dismissed");
    assertEquals(Map.of(), decided());
  }

  @Test
  void aLinkHasNoUndoAndThePageSaysSo() throws Exception {
    goTo("auth:0");
    assertHas(press("l"), "call can take this back");
    press("enter");
    assertHas(press("u"), "No call of helix takes this back");
    press("enter");
    assertEquals(1, session.summary(false).done());
  }

  @Test
  void copiesGoButForOne() throws Exception {
    String screen = goTo("web:0");
    assertHas(screen, "2 notes say the same, word for word");
    press("s", "enter");
    assertEquals(1, kb.texts("web").size() + kb.texts("ops").size());
  }

  @Test
  void whatOthersWroteMeanwhileIsPlannedAnew() throws Exception {
    goTo("queue:0");
    press("s");
    kb.note("queue", "Written by another.");
    assertHas(press("enter"), "helix-bg changed nothing", "Remove queue:0 and keep queue:1?");
    assertEquals(3, kb.texts("queue").size());
    press("enter");
    assertEquals(List.of(LONG, "Written by another."), kb.texts("queue"));
  }

  @Test
  void whatOthersDecidedMeanwhileIsNotAskedAgain() throws Exception {
    goTo("queue:0");
    kb.call("edit", "action", "delete", "topic", "queue", "match_str", SHORT);
    assertHas(press("s"), "decided by another program, or its notes were changed");
    assertEquals(2, session.summary(false).left());
  }

  @Test
  void whatOthersDecidedIsSeenAtTheNextKey() throws Exception {
    goTo("queue:0");
    ActRun.note(kb.acts.findings(), "rel-0000000001", "dismissed", "said elsewhere");
    assertHas(press("s"), "decided by another program", "of 2, 0 done");
    assertEquals(2, session.summary(false).left());
  }

  @Test
  void aNewReportIsSeenAtTheNextKey() throws Exception {
    press("n");
    String screen = show("new", "A note of today.", "A note of this day.");
    assertHas(screen, "of 4, 0 done", "A note of this day.");
  }

  @Test
  void theNextSessionGoesOnWithWhatIsLeft() throws Exception {
    goTo("queue:0");
    press("s", "enter");
    goTo("auth:0");
    press("d", "enter", "l");
    session = session();
    assertHas(screen(80, 24), "1 of 1, 0 done, 0 dismissed", "word for word");
  }

  @Test
  void theMarkOfAnActThatWasKilledIsTold() throws Exception {
    goTo("queue:0");
    desk.helix =
        () ->
            new FileHelix(kb.kb.dataLog()) {
              @Override
              public String call(String tool, Map<String, String> arguments) {
                if ("delete".equals(arguments.get("action"))) {
                  throw new IllegalStateException("killed");
                }
                return super.call(tool, arguments);
              }
            };
    assertThrows(IllegalStateException.class, () -> press("s", "enter"));
    session = session();
    assertHas(screen(100, 30), "An act was interrupted", "at the end of queue:");
  }

  @Test
  void aStopInTheMiddleSaysWhatWasDone() throws Exception {
    goTo("queue:0");
    desk.helix = () -> kb.refusingAfter(1);
    assertHas(
        press("s", "enter"),
        "Stopped in the middle",
        "the disk is full",
        "remove them by hand",
        "(helix-bg: ");
    assertEquals(Map.of(), decided());
    assertHas(
        String.join("\n", session.summary(false).halfDone()),
        "Stopped in the middle",
        "(helix-bg: ");
    press("esc");
    assertEquals(List.of(), session.summary(false).halfDone());
  }

  @Test
  void withoutHelixTheCallsAreShownAndDoneIsNotedWhenTheLogShowsIt() throws Exception {
    desk.helix = null;
    goTo("queue:0");
    assertHas(press("s"), "There is no helix on PATH", "\"action\":\"delete\"");
    assertHas(press("y"), "clipboard");
    assertHas(desk.copied.getFirst(), "\"action\":\"append\"", "\"plan\":");
    assertHas(press("enter"), "Not done yet");
    kb.call("edit", "action", "delete", "topic", "queue", "match_str", SHORT);
    assertHas(press("enter"), "The edit is made, and recorded", "1 done");
    assertEquals(1, decided().size());
  }

  @Test
  void theEndSaysWhatWasDone() throws Exception {
    for (int i = 0; i < 3; i++) {
      press("d", "enter");
    }
    assertHas(screen(80, 24), "Nothing is left to decide", "3 dismissed");
    press("q");
    assertTrue(session.isOver());
  }

  @Test
  void aPageWithOneNoteOfHelixHasNothingToEdit() throws Exception {
    String secret = "The token is ghp_Q7bR2kT9vX4mZ8nL1cW5yH3pJ6sD0fGaEuIo.";
    kb = new TidyKb(Files.createDirectory(folder.resolve("other"))).note("auth", secret);
    kb.report();
    session = session();
    assertHas(press("a"), "A note that may contain a secret");
    assertHas(press("e"), "this key does nothing here");
  }

  @Test
  void longTextsScrollAndSmallScreensHold() throws Exception {
    String line = "Each line of this note says a little more, ever 再 and more.\n";
    show("long", line.repeat(100), line.repeat(99) + "The end.");
    assertHas(screen(80, 24), "more lines: Space");
    session.key(" ");
    assertHas(screen(80, 24), "lines above");
    session.key("end");
    assertHas(screen(80, 24), "The end.");
    session.key("e");
    session.key("home");
    assertFalse(screen(80, 24).contains("long:1"));
    for (int columns = 20; columns < 140; columns += 7) {
      for (int rows = 5; rows < 40; rows += 3) {
        screen(columns, rows);
      }
    }
  }

  @Test
  void aCarriageReturnAloneEndsNoHeading() throws Exception {
    assertHas(show("old", "Leases\rThey end.", "Leases\rThey end early."), "They end early.");
  }

  @Test
  void textsThatActOnATerminalAreShown() throws Exception {
    show("evil", "First \u001b]0;title\u0007 and \u001b[2J.", "Second \u202e one.");
    for (String key : List.of("s", "x", "esc", "d")) {
      String screen = press(key);
      assertTrue(screen.chars().noneMatch(c -> c == 0x1b || c == 7 || c == 0x202e), screen);
    }
  }
}
