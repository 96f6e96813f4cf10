package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.ActRun.Outcome;
import dev.helixbg.daemon.tidy.ActRun.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NoteRunTest {
  private static final String TEXT =
      "\uFEFF# Memory\r\n\r\n"
          + "## Build\r\n"
          + "- Use mvnd.\r\n"
          + "  - on Linux\r\n"
          + "- Builds use mvnd, always and everywhere.\r\n"
          + "- Two forks.\r\n"
          + "- Tests run in two forks, not in four.\r\n"
          + "- Last.";

  @TempDir Path folder;
  private Path file;
  private TidyKb kb;
  private NoteRun run;

  @BeforeEach
  void aMemoryFile() throws Exception {
    Path notes = Files.createDirectories(folder.toRealPath().resolve("notes"));
    file = notes.resolve("MEMORY.md");
    Files.writeString(file, TEXT);
    open(file);
  }

  private void open(Path notes) throws IOException {
    kb = new TidyKb(folder, notes);
    run = new NoteRun(kb.acts, kb.notes);
  }

  private String pair(String a, String b) {
    return kb.pair(kb.beginning(a), kb.beginning(b));
  }

  private static ObjectNode request(String id, String keep) {
    return Json.object().put("id", id).put("as", "same").put("keep", keep);
  }

  private ObjectNode keepB(String id) throws Exception {
    return kb.acts.findings().act(request(id, "b"));
  }

  private ObjectNode act(String id) throws Exception {
    return kb.acts.findings().act(Json.object().put("id", id));
  }

  private String taken() throws Exception {
    String id = pair("Use", "Builds");
    kb.report();
    done(request(id, "b"));
    return id;
  }

  private Path kept(String id) {
    return kb.store.folder().resolve("acts").resolve(id + ".json");
  }

  private Outcome done(ObjectNode request) throws Exception {
    Outcome outcome = run.run(request, kb.acts.findings().act(request));
    assertEquals(State.DONE, outcome.state(), outcome.why());
    return outcome;
  }

  private String text() throws IOException {
    return Files.readString(file);
  }

  private boolean isSettled(String id) throws Exception {
    return kb.store.decisions().read().on(id).isPresent();
  }

  @Test
  void anItemGoesAndComesBackOnce() throws Exception {
    String id = pair("Use", "Builds");
    kb.report();
    ObjectNode act = keepB(id);
    assertEquals(
        "- Use mvnd.\r\n  - on Linux\r\n", act.at("/edits/0/spans/0/was").asText(), act.toString());
    assertTrue(act.path("byHand").asText().contains("remove the item"), "words for agents");
    assertEquals(file.getParent().toRealPath().toString(), act.path("folder").asText());
    assertEquals(TEXT, text());

    done(request(id, "b"));
    assertEquals(TEXT.replace("- Use mvnd.\r\n  - on Linux\r\n", ""), text());
    assertTrue(isSettled(id));
    assertEquals(List.of("MEMORY.md"), OnDisk.names(file.getParent()));

    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(TEXT, text());
    assertFalse(isSettled(id));
    Outcome again = run.takeBack(id);
    assertEquals(State.UNDONE, again.state());
    assertTrue(again.why().endsWith("the same notes as for that act (--notes or --memory)"));
    assertEquals(TEXT, text());
  }

  @Test
  void ofTwoPairsInOneFileTheSecondIsPlannedAnew() throws Exception {
    String first = pair("Use", "Builds");
    String second = pair("Two", "Tests");
    kb.report();
    ObjectNode early = keepB(second);
    done(request(first, "b"));
    Outcome stale = run.run(request(second, "b"), early);
    assertEquals(State.STALE, stale.state());
    assertFalse(isSettled(second));
    assertTrue(text().contains("- Two forks."));

    done(request(second, "b"));
    String both =
        TEXT.replace("- Use mvnd.\r\n  - on Linux\r\n", "").replace("- Two forks.\r\n", "");
    assertEquals(both, text());
    assertEquals(State.DONE, run.takeBack(first).state(), "the file has changed since");
    assertEquals(TEXT.replace("- Two forks.\r\n", ""), text());
    assertEquals(State.DONE, run.takeBack(second).state());
    assertEquals(TEXT, text());
  }

  @Test
  void whatAgentsWroteElsewhereStaysWhenItIsTakenBack() throws Exception {
    String id = pair("Last", "Two");
    kb.report();
    done(request(id, "b"));
    Files.writeString(file, text() + "- Appended.\r\n");
    assertEquals(State.DONE, run.takeBack(id).state());
    assertTrue(text().endsWith("- Last.\n- Appended.\r\n"), text());
  }

  @Test
  void whereTheSurroundingsHaveChangedItIsSaidWhereTheTextIs() throws Exception {
    String id = taken();
    String other = text().replace("## Build", "## Other");
    Files.writeString(file, other);
    Outcome refused = run.takeBack(id);
    assertEquals(State.STALE, refused.state());
    assertEquals(other, text());
    assertTrue(refused.why().endsWith(" " + kept(id)), refused.why());
    assertTrue(Files.readString(kept(id)).contains("on Linux"));
    assertEquals("rw-------", OnDisk.mode(kept(id)));
  }

  /** Otherwise both texts of a pair could be removed, each from its file. */
  @Test
  void aFactGoesOnlyWhileTheOneThatStaysIsThere() throws Exception {
    Path other = file.resolveSibling("CLAUDE.md");
    Files.writeString(
        other, "- Never push.\n- mvnd builds, everywhere.\n- Be short.\n- Be kind.\n");
    open(file.getParent());
    String id = pair("Use", "mvnd");
    kb.report();
    ObjectNode act = keepB(id);
    Files.writeString(other, "- Never push.\n- Be short.\n- Be kind.\n");
    Outcome stale = run.run(request(id, "b"), act);
    assertEquals(State.STALE, stale.state(), stale.why());
    assertEquals(TEXT, text());
    assertFalse(isSettled(id));
  }

  @Test
  void bytesThatAreNotUtf8StayAsTheyAre() throws Exception {
    String id = taken();
    byte[] latin = "- caf\u00E9\r\n".getBytes(ISO_8859_1);
    Files.write(file, latin, StandardOpenOption.APPEND);
    byte[] before = Files.readAllBytes(file);
    assertEquals(State.STALE, run.takeBack(id).state());
    assertArrayEquals(before, Files.readAllBytes(file));
    assertTrue(Files.exists(kept(id)));
  }

  @Test
  void aSecondActOnAFindingIsSavedBesideTheFirst() throws Exception {
    String id = taken();
    Files.writeString(file, text() + "\r\n- Use mvnd.\r\n  - on Linux");
    kb.notes.refresh();
    ActRun.note(kb.acts.findings(), id, "open", "");
    done(request(id, "b"));
    assertTrue(Files.exists(kept(id)) && Files.exists(kept(id + "-1")));
    assertEquals(State.DONE, run.takeBack(id).state());
    assertTrue(text().endsWith("- on Linux"), text());
    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(2, text().split("- Use mvnd", -1).length - 1, text());
  }

  @Test
  void anItemWithEmbeddedDataIsNotRemoved() throws Exception {
    String key = "A".repeat(300);
    Files.writeString(
        file, "- The key is " + key + "\n- The key is B" + key + "\n- More.\n- Last.\n");
    open(file);
    String id = kb.pair(kb.live().get(0).name(), kb.live().get(1).name());
    kb.report();
    assertTrue(keepB(id).path("edits").isEmpty());
  }

  @Test
  void aLinkInItsPlaceIsRefusedInOneLine() throws Exception {
    String id = pair("Use", "Builds");
    kb.report();
    ObjectNode act = keepB(id);
    Path real = Files.move(file, folder.resolve("elsewhere.md"));
    Files.createSymbolicLink(file, real);
    Outcome refused = run.run(request(id, "b"), act);
    assertEquals(State.UNDONE, refused.state());
    assertEquals("cannot change " + file + ": it is a link", refused.why());
    assertEquals(TEXT, Files.readString(real));
    assertEquals(State.UNDONE, run.takeBack(id).state());
  }

  @Test
  void aMergedTextTakesThePlaceOfOneAndTheOtherFileLosesItsItem() throws Exception {
    Path other = file.resolveSibling("CLAUDE.md");
    String before = "- Never push.\n- mvnd builds.\n  - twice\n- Be short.\n- Be kind.\n";
    Files.writeString(other, before);
    open(file.getParent());
    String id = kb.merge("Use mvnd,\nalways.", kb.beginning("Builds"), kb.beginning("mvnd"));
    kb.report();
    done(Json.object().put("id", id));
    assertEquals(
        TEXT.replace("- Builds use mvnd, always and everywhere.", "- Use mvnd,\r\n  always."),
        text());
    assertEquals(before.replace("- mvnd builds.\n  - twice\n", ""), Files.readString(other));
    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(TEXT, text());
    assertEquals(before, Files.readString(other));
  }

  @Test
  void stoppedBetweenTwoFilesItSaysWhatWasDoneAndTakesItBack() throws Exception {
    String list = "---\nhelix-bg: items\n---\n- mvnd builds.\n- Be short.\n- Be kind.\n";
    String name =
        "n".repeat(240) + ".md"; // the temporary file has a longer name, which is too long
    Files.writeString(file.resolveSibling(name), list);
    open(file.getParent());
    String id = kb.merge("Use mvnd.", kb.beginning("Builds"), kb.beginning("mvnd"));
    kb.report();
    Outcome outcome = run.run(Json.object().put("id", id), act(id));
    assertEquals(State.FAILED, outcome.state());
    assertEquals(1, outcome.made().size());
    assertTrue(outcome.why().contains("act " + id + " --undo"), outcome.why());
    assertFalse(isSettled(id));
    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(TEXT, text());
  }

  @Test
  void copiesOfAnItemGoFromOneFile() throws Exception {
    Files.writeString(file, "- same\n- other\n- same\n- more\n- same\n");
    open(file);
    List<String> names =
        kb.live().stream()
            .filter(one -> one.entry().text().content().equals("same"))
            .map(one -> one.name())
            .toList();
    String id = kb.copies(names.toArray(String[]::new));
    kb.report();
    done(Json.object().put("id", id));
    assertEquals(1, text().lines().filter("- same"::equals).count(), text());
    assertEquals(3, text().lines().count());
    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals("- same\n- other\n- same\n- more\n- same\n", text());
  }

  @Test
  void copiesOfAWholeFileWithOtherFrontMatterAreComparedFirst() throws Exception {
    Path notes = file.getParent();
    Files.delete(file);
    Files.writeString(notes.resolve("a.md"), "---\nurl: https://one.example\n---\n# T\n\nSame.\n");
    Files.writeString(notes.resolve("b.md"), "---\nurl: https://two.example\n---\n# T\n\nSame.\n");
    open(notes);
    String id = kb.copies("a.md", "b.md");
    kb.report();
    ObjectNode act = act(id);
    assertTrue(act.path("byHand").asText().startsWith("a.md may differ from b.md in"), "" + act);
    assertEquals(1, act.path("losses").size());

    Files.copy(notes.resolve("b.md"), notes.resolve("a.md"), StandardCopyOption.REPLACE_EXISTING);
    ObjectNode same = act(id);
    assertTrue(same.path("byHand").asText().startsWith("remove a.md"), "" + same);
    assertEquals(0, same.path("losses").size());
  }

  /** A process may be killed after it has saved the text, but before it renames the new file. */
  @Test
  void whatAKilledOneLeftIsNoActAndGoes() throws Exception {
    String id = taken();
    Path unmade = kept(id + "-1");
    Files.copy(kept(id), unmade);
    String kept = Files.readString(unmade);
    Files.writeString(unmade, kept.replace(Sha256.of(TEXT), Sha256.of(text())));
    Path left = file.resolveSibling(".MEMORY.md.5f.helix-bg.tmp");
    Files.writeString(left, "half");

    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(TEXT, text(), "the act before it is taken back");
    assertFalse(Files.exists(unmade) || Files.exists(kept(id)));
    assertEquals(List.of("MEMORY.md"), OnDisk.names(file.getParent()));
    assertEquals(State.UNDONE, run.takeBack(id).state());
  }

  @Test
  void atTheTerminalTheTextThatGoesIsShownFirst() throws Exception {
    pair("Use", "Builds");
    pair("Two", "Tests");
    kb.report();
    FakeDesk desk = new FakeDesk(null, folder.resolve("T"));
    TidySession session =
        new TidySession(TidyKb.list(kb.acts), kb.acts, new Ink(false, false), desk);
    String page = TidyKb.press(session, "a", "s");
    assertTrue(page.contains("- Use mvnd.") && page.contains("- on Linux"), page);
    assertTrue(page.contains("carry it out") && page.contains("in one step"), page);
    assertEquals(TEXT, text());

    Files.writeString(file, TEXT + "\n- Appended.\n");
    assertTrue(TidyKb.press(session, "enter").contains("Another program has changed the notes"));
    String done = TidyKb.press(session, "enter");
    assertTrue(done.contains("Done: ") && done.contains("1 done"), done);
    assertFalse(text().contains("on Linux"));
    TidyKb.press(session, "s", "enter");
    assertFalse(text().contains("- Two forks."));
    TidyKb.press(session, "u", "enter");
    String back = TidyKb.press(session, "u", "enter");
    assertTrue(back.contains("Taken back"), back);
    assertEquals(TEXT + "\n- Appended.\n", text());
  }

  @Test
  void ifTheUserHasRestoredTheFileAnUndoOnlyOpensTheFinding() throws Exception {
    String id = taken();
    Files.writeString(file, TEXT);
    assertEquals(State.DONE, run.takeBack(id).state());
    assertEquals(TEXT, text());
    assertFalse(isSettled(id));
  }
}
