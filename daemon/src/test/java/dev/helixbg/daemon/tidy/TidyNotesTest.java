package dev.helixbg.daemon.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TidyNotesTest {
  private static final String TEXT = "# Leases\n\nA lease ends after thirty seconds.\n";

  @TempDir Path folder;
  private Path notes;
  private FakeDesk desk;
  private TidySession session;

  @BeforeEach
  void twoCopies() throws Exception {
    notes = Files.createDirectories(folder.toRealPath().resolve("notes"));
    Files.writeString(notes.resolve("leases.md"), TEXT);
    Files.writeString(notes.resolve("leases copy.md"), TEXT);
    Files.writeString(notes.resolve("ports.md"), "# Ports\n\nPort 8080 is taken.\n");
    report();
  }

  private void report() throws Exception {
    Settings settings = DaemonFixture.settings(folder.resolve("home"), Map.of());
    NotesKb kb = NotesKb.at(notes, settings);
    kb.refresh();
    KbStore store = new KbStores(settings, notice -> {}).of(kb.kb());
    DaemonFixture.publish(settings, store);
    desk = new FakeDesk(null, folder.toRealPath().resolve("Trash"));
    ActRun acts = new ActRun(store, settings, new FakeModel().id());
    session = new TidySession(TidyKb.list(acts), acts, new Ink(false, false), desk);
  }

  private String press(String... keys) throws Exception {
    return TidyKb.press(session, keys);
  }

  private String files() throws Exception {
    return String.join(",", OnDisk.names(notes));
  }

  private String copies() throws Exception {
    for (int i = 0; i < 5; i++) {
      String screen = press("n");
      if (screen.contains("word for word")) {
        return screen;
      }
    }
    throw new AssertionError("no copies: " + press());
  }

  @Test
  void aCopyGoesToTheTrashAfterEnterAndComesBackWithUndo() throws Exception {
    copies();
    String page = press("s");
    assertTrue(page.contains("move to the trash") && page.contains("leases copy.md"), page);
    assertEquals("leases copy.md,leases.md,ports.md", files());

    String after = press("enter");
    assertEquals("leases.md,ports.md", files(), after);
    assertTrue(after.contains("1 done"), after);
    assertTrue(Files.exists(folder.resolve("Trash/files/leases copy.md")));

    String undone = press("u", "enter");
    assertEquals("leases copy.md,leases.md,ports.md", files(), undone);
    assertTrue(undone.contains("0 done"), undone);
    assertFalse(Files.exists(folder.resolve("Trash/files/leases copy.md")));
  }

  @Test
  void aCopyWhoseNameCannotBeShownGoesToTheTrash() throws Exception {
    Files.move(notes.resolve("leases copy.md"), notes.resolve("leases\u0001.md"));
    report();
    copies();
    String after = press("s", "enter");
    assertEquals(2, files().split(",").length, after);
    assertEquals(1, OnDisk.names(folder.resolve("Trash/files")).size(), after);
    String undone = press("u", "enter");
    assertEquals(3, files().split(",").length, undone);
  }

  /**
   * The search for copies does not compare front matter and pictures, so copies may differ in them.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%s                               | ---%nurl: https://a.example%n---%n%s",
        "%s%n![map](data:image/png;base64,AAAA) | %s%n![map](data:image/png;base64,BBBB)"
      })
  void filesThatDifferInWhatIsNotComparedStay(String one, String other) throws Exception {
    Files.writeString(notes.resolve("leases.md"), one.formatted(TEXT));
    Files.writeString(notes.resolve("leases copy.md"), other.formatted(TEXT));
    report();
    copies();
    String page = press("s").replaceAll("\\s+", " ");
    assertFalse(page.contains("move to the trash"), page);
    assertTrue(page.contains("in parts that are not compared"), page);
    assertTrue(page.contains("such as front matter or embedded data: compare them first"), page);
    press("enter");
    assertEquals("leases copy.md,leases.md,ports.md", files());
  }

  @Test
  void severalCopiesGoAndComeBackTogether() throws Exception {
    Files.writeString(notes.resolve("leases again.md"), TEXT);
    report();
    copies();
    String after = press("s", "enter");
    assertEquals("leases.md,ports.md", files(), after);

    assertTrue(press("u").contains("leases again.md"));
    Files.writeString(notes.resolve("leases copy.md"), "Another one.");
    assertTrue(press("enter").contains("leases copy.md back: it is there again"));
    Files.delete(notes.resolve("leases copy.md"));
    String undone = press("u", "enter");
    assertEquals("leases again.md,leases copy.md,leases.md,ports.md", files(), undone);
    assertTrue(undone.contains("0 done") && undone.contains("3 notes say the same"), undone);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCopyThatChangesBeforeEnterStaysAndThePageIsShownAnew(boolean deleted) throws Exception {
    Files.writeString(notes.resolve("leases again.md"), TEXT);
    report();
    copies();
    press("s");
    Path changed = notes.resolve("leases copy.md");
    if (deleted) {
      Files.delete(changed);
    } else {
      Files.writeString(changed, "# Leases\n\nA lease ends after sixty seconds.\n");
    }
    String before = files();
    String after = press("enter");
    // The line breaks depend on the length of the folder's name.
    String said = after.replaceAll("\\s+", " ");
    assertTrue(said.contains("changed meanwhile: nothing was moved"), after);
    assertEquals(before, files(), after);
  }

  @Test
  void afterTheEditorItLooksWhetherTheFindingIsGone() throws Exception {
    copies();
    String still = press("e");
    assertEquals(2, desk.edited.getFirst().size());
    assertTrue(still.contains("The finding is still there"), still);

    desk.editor = files -> Files.writeString(files.getFirst(), "# Other\n\nAnother text.\n");
    String gone = press("e");
    assertTrue(gone.contains("The finding no longer applies; it is recorded as done"), gone);
    assertEquals(1, session.summary(false).done());
  }
}
