package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.notes.NotesAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the log of a folder of notes is, and when it is made. */
class NotesKbTest {
  @TempDir private Path temp;
  private Path notes;
  private Path cache;

  @BeforeEach
  void write() throws IOException {
    notes = Files.createDirectories(temp.resolve("vault"));
    cache = temp.resolve("cache");
    Files.writeString(notes.resolve("a.md"), "# One\n\nText.");
    Files.writeString(notes.resolve("b.md"), "# Two\n\nText.");
  }

  @Test
  void theFolderIsKnownByItsRealPathAndTheLogBySeveralWays() throws IOException {
    NotesKb found = NotesKb.at(notes, cache);
    assertEquals("vault", found.kb().folder().getFileName().toString());
    Path link = Files.createSymbolicLink(temp.resolve("link"), notes);
    assertEquals(found, NotesKb.at(link, cache));
    assertEquals(Optional.empty(), NotesKb.of(found.kb(), cache), "nothing is there yet");
    assertEquals(2, found.refresh(files -> {}).orElseThrow().entries());
    assertEquals(Optional.of(found), NotesKb.of(found.kb(), cache));
    assertEquals(2, DataLog.read(found.kb().dataLog()).entries().size());
    assertEquals(2, found.account().orElseThrow().files());
  }

  @Test
  void aFolderElsewhereIsNotBelieved() throws IOException {
    NotesKb found = NotesKb.at(notes, cache);
    found.refresh(files -> {});
    Kb copied = new Kb(Files.createDirectories(temp.resolve("foreign")));
    for (String name : new String[] {"data.log", "notes.json"}) {
      Files.copy(found.kb().folder().resolve(name), copied.folder().resolve(name));
    }
    assertEquals(Optional.empty(), NotesKb.of(copied, cache));
    Kb moved = new Kb(cache.resolve("notes/0000/vault"));
    Files.createDirectories(moved.folder().getParent());
    Files.move(found.kb().folder(), moved.folder());
    assertEquals(Optional.empty(), NotesKb.of(moved, cache));
  }

  @Test
  void withoutAChangeNothingIsRead() throws Exception {
    NotesKb found = NotesKb.at(notes, cache);
    found.refresh(files -> {});
    Thread.sleep(2_100); // files that rest: else their times could hide a change
    found.refresh(files -> {});
    assertEquals(Optional.empty(), found.refresh(files -> {}));
    Files.writeString(notes.resolve("a.md"), "# One\n\nOther.");
    assertTrue(found.refresh(files -> {}).isPresent());
  }

  @Test
  void oneFileOfFactsIsReadItemByItem() throws IOException {
    Path file = Files.writeString(notes.resolve("facts.md"), "- one\n- two\n- three\n");
    NotesKb found = NotesKb.at(file, cache);
    assertEquals("facts.md", found.name());
    NotesAccount made = found.refresh(files -> {}).orElseThrow();
    assertEquals(1, made.files());
    assertEquals(
        List.of("one", "two", "three"),
        DataLog.read(found.kb().dataLog()).entries().stream()
            .map(entry -> entry.text().content())
            .toList());
    assertEquals(3, NotesKb.at(notes, cache).refresh(files -> {}).orElseThrow().entries());
    Files.delete(file);
    assertEquals(ExitCode.KB, assertThrows(Failure.class, () -> found.refresh(files -> {})).code());
  }

  @Test
  void memoryFilesInFoldersOfAgentsAreRead() throws IOException {
    for (String name : List.of(".claude/CLAUDE.md", ".claude/skills/x.md", ".git/CLAUDE.md")) {
      Path file = notes.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "- one\n- two\n- three\n");
    }
    assertEquals(5, NotesKb.at(notes, cache).refresh(files -> {}).orElseThrow().entries());
  }

  @Test
  void notesThatAreOutOfReachLeaveTheLogAsItIs() throws IOException {
    NotesKb found = NotesKb.at(notes, cache);
    found.refresh(files -> {});
    byte[] log = Files.readAllBytes(found.kb().dataLog());
    Files.delete(notes.resolve("a.md"));
    Files.delete(notes.resolve("b.md"));
    Failure empty = assertThrows(Failure.class, () -> found.refresh(files -> {}));
    assertEquals(ExitCode.KB, empty.code());
    assertTrue(empty.getMessage().startsWith("there are no notes in"), empty.getMessage());
    Files.delete(notes);
    assertEquals(ExitCode.KB, assertThrows(Failure.class, () -> found.refresh(files -> {})).code());
    assertArrayEquals(log, Files.readAllBytes(found.kb().dataLog()));
  }
}
