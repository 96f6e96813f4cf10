package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the paths and permissions of stores, and how a store follows a moved KB. */
class KbStoresTest {
  private static final Decision DECISION =
      new Decision("rel-0123456789", Decision.Outcome.DONE, Instant.EPOCH, "a ~ b");

  @TempDir Path folder;

  private final List<String> notices = new ArrayList<>();
  private Settings settings;
  private KbStores stores;

  @BeforeEach
  void open() {
    settings = DaemonFixture.settings(folder, Map.of());
    restart();
  }

  /** Opens the stores anew, as another process would. */
  private void restart() {
    close();
    stores = new KbStores(settings, notices::add);
  }

  @AfterEach
  void close() {
    if (stores != null) {
      stores.close();
    }
  }

  private Kb kb(String name, int seed) throws IOException {
    return new WritableKb(folder.resolve(name), new Random(seed), 5).kb();
  }

  private int decisions(Kb kb) {
    return stores.of(kb).decisions().read().settled().size();
  }

  private void decide(Kb kb) {
    stores.of(kb).decisions().add(List.of(DECISION));
  }

  private void assertNotices(int count, String last) {
    assertEquals(count, notices.size(), notices.toString());
    assertTrue(notices.getLast().contains(last), notices.toString());
  }

  private Kb moved(Kb kb, String to) throws IOException {
    return new Kb(Files.move(kb.folder(), folder.resolve(to)));
  }

  private Kb copy(Kb kb, String to) throws IOException {
    Kb copy = new Kb(Files.createDirectories(folder.resolve(to)));
    Files.copy(kb.dataLog(), copy.dataLog());
    return copy;
  }

  @Test
  void allIsForItsUserAlone() throws Exception {
    Kb kb = kb("kb", 1);
    decide(kb);
    stores.of(kb).lock().close();
    int files = 0;
    try (Stream<Path> all = Files.walk(settings.state())) {
      for (Path path : all.toList()) {
        assertEquals("------", OnDisk.mode(path).substring(3), path.toString());
        files += Files.isRegularFile(path) ? 1 : 0;
      }
    }
    assertTrue(files >= 4, files + " files");
  }

  @Test
  void aFolderThatOthersCanWriteToIsRefusedInWords() throws Exception {
    Kb kb = kb("kb", 1);
    Files.createDirectories(settings.state());
    for (String mode : List.of("rwxrwx---", "rwx----w-")) {
      OnDisk.setMode(settings.state(), mode);
      Failure refused = assertThrows(Failure.class, () -> stores.of(kb));
      assertEquals(ExitCode.WRITE, refused.code());
      assertTrue(refused.getMessage().contains("other users can write to"), refused.getMessage());
      assertTrue(refused.getMessage().contains("state = \"...\""), refused.getMessage());
    }
    OnDisk.setMode(settings.state(), "rwxr-xr-x");
    stores.of(kb);
    assertEquals("rwx------", OnDisk.mode(settings.state()));
  }

  @Test
  void aFolderOfAnotherUserIsRefusedInWords() throws Exception {
    Kb kb = kb("kb", 1);
    Files.createDirectories(settings.state());
    assumeTrue(Integer.valueOf(0).equals(Files.getAttribute(folder, "unix:uid")), "root can give");
    Files.setAttribute(settings.state(), "unix:uid", 12_345);
    Failure refused = assertThrows(Failure.class, () -> stores.of(kb));
    assertEquals(ExitCode.WRITE, refused.code());
    assertTrue(refused.getMessage().contains("belongs to another user"), refused.getMessage());
  }

  @Test
  void aStateFolderThatIsALinkToNothingIsRefusedInWords() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
    settings = DaemonFixture.settings(folder, Map.of("state", link.toString()));
    restart();
    Failure e = assertThrows(Failure.class, () -> stores.of(kb("kb", 1)));
    assertTrue(e.getMessage().contains(link + " is a file or a broken link"), e.getMessage());
  }

  /** A Mac's Finder leaves files such as .DS_Store. */
  @Test
  void whatIsNoStoreInTheFolderOfStoresStopsNoKb() throws Exception {
    stores.of(kb("one", 1));
    Path all = settings.state().resolve("kb");
    Files.createFile(all.resolve(".DS_Store"));
    Files.createDirectories(all.resolve("folder/place.json"));
    Path other = Files.createDirectories(all.resolve("of-a-name-that-this-locale-has-not"));
    Files.writeString(other.resolve("place.json"), "{\"place\": \"/x/\\u0000\"}");
    decide(kb("two", 2));
    assertEquals(1, decisions(new Kb(folder.resolve("two"))));
  }

  @Test
  void aKbIsKnownByItsRealPath() throws Exception {
    Kb kb = kb("kb", 1);
    decide(kb);
    Path link = Files.createSymbolicLink(folder.resolve("link"), kb.folder());
    assertEquals(stores.of(kb).folder(), stores.of(new Kb(link)).folder());
    assertEquals(1, decisions(new Kb(link)));
  }

  @Test
  void aKbThatMovedKeepsItsDecisionsAndSaysSoOnce() throws Exception {
    Kb kb = kb("kb", 1);
    decide(kb);
    restart();
    Kb moved = moved(kb, "elsewhere");
    assertEquals(1, decisions(moved));
    assertNotices(1, "was formerly at " + kb.folder());
    restart();
    assertEquals(1, decisions(moved));
    assertEquals(1, notices.size(), notices.toString());
    Kb back = moved(moved, "kb");
    assertEquals(1, decisions(back), "and back again");
  }

  /** While the KB's disk was not mounted, a copy of the KB got the KB's store. */
  @Test
  void aKbThatIsThereAgainGetsItsDecisionsBack() throws Exception {
    Kb kb = kb("kb", 1);
    decide(kb);
    restart();
    Kb away = moved(kb, "away");
    Kb copy = copy(away, "copy");
    assertEquals(1, decisions(copy));
    restart();
    stores.of(copy).lock().close();
    stores.of(copy).published().run();
    moved(away, "kb");
    assertEquals(1, decisions(kb));
    assertEquals(1, decisions(copy));
    assertNotices(2, "at " + kb.folder() + " again. Its new store gets a copy");
  }

  /** The move is seen although entries were appended, and although a process has the store open. */
  @Test
  void aMoveIsSeenThoughTheLogHasGrown() throws Exception {
    WritableKb writer = new WritableKb(folder.resolve("kb"), new Random(1), 5);
    decide(writer.kb());
    writer.append();
    Kb moved = moved(writer.kb(), "elsewhere");
    try (KbStores others = new KbStores(settings, notices::add)) {
      assertEquals(1, others.of(moved).decisions().read().settled().size());
    }
    Kb fresh = kb("kb", 7);
    assertEquals(0, decisions(fresh), "another KB in the old place has a store of its own");
    assertEquals(1, decisions(moved));
  }

  @Test
  void aCopyIsANewKb() throws Exception {
    Kb kb = kb("kb", 1);
    decide(kb);
    Kb copy = copy(kb, "copy");
    assertEquals(0, decisions(copy));
    assertEquals(1, decisions(kb));
    assertNotEquals(stores.of(kb).folder(), stores.of(copy).folder());
    assertEquals(List.of(), notices);
  }

  @Test
  void ofTwoKbsWithEqualBeginningsEachKeepsItsOwn() throws Exception {
    Kb one = kb("one", 1);
    Kb two = copy(one, "two");
    decide(one);
    assertEquals(0, decisions(two));
    restart();
    Kb moved = moved(two, "three");
    assertEquals(0, decisions(moved), "that of two, whose place is gone, and not that of one");
    assertEquals(1, decisions(one));
    assertNotices(1, "was formerly at " + two.folder());
  }

  /** The beginning of a log of a few bytes may be the same in many logs. */
  @Test
  void anEmptyLogFollowsNothing() throws Exception {
    Kb one = new WritableKb(folder.resolve("one"), new Random(1)).kb();
    decide(one);
    restart();
    Kb two = moved(one, "two");
    assertEquals(0, decisions(two));
    assertEquals(List.of(), notices);
  }

  @Test
  void aLinkThatLeadsToAnotherKbHasTheStoreOfThatKb() throws Exception {
    Kb first = kb("first", 1);
    Path other = copy(first, "other").folder();
    Kb linked = new Kb(Files.createSymbolicLink(folder.resolve("link"), first.folder()));
    decide(linked);
    KbStore before = stores.of(linked);
    Files.delete(linked.folder());
    Files.createSymbolicLink(linked.folder(), other);
    before.published().run();
    assertEquals(0, decisions(linked));
    restart();
    assertEquals(1, decisions(first), "its store still has its place");
    assertEquals(0, decisions(new Kb(other)));
  }

  @Test
  void aFolderOfNotesThatMovedKeepsItsDecisions() throws Exception {
    Path vault = Files.createDirectories(folder.resolve("vault"));
    Files.writeString(vault.resolve("a.md"), "# One\n\nA text that is long enough to be known.");
    Files.writeString(vault.resolve("b.md"), "# Two\n\nAnother text that is as long as the first.");
    NotesKb notes = NotesKb.at(vault, settings);
    notes.refresh();
    decide(notes.kb());
    restart();
    NotesKb moved = NotesKb.at(Files.move(vault, folder.resolve("other")), settings);
    moved.refresh();
    assertEquals(1, decisions(moved.kb()));
    assertEquals(1, notices.size(), notices.toString());
  }

  @Test
  void formerFilesAreNamedOnceInOneLineAndLeftAlone() throws Exception {
    Kb kb = kb("kb", 1);
    Files.createDirectories(kb.insights());
    Path keys = Files.writeString(kb.folder().resolve("embeddings.keys"), "old");
    Path decisions = Files.writeString(kb.insights().resolve("decisions.jsonl"), "old");
    stores.of(kb);
    restart();
    stores.of(kb);
    assertEquals(1, notices.size(), notices.toString());
    String line = notices.getFirst();
    assertTrue(line.contains("embeddings.keys, insights/decisions.jsonl"), line);
    assertTrue(line.contains("can be deleted"), line);
    assertFalse(line.contains("\n"), line);
    assertEquals("old", Files.readString(keys));
    assertEquals("old", Files.readString(decisions));
  }
}
