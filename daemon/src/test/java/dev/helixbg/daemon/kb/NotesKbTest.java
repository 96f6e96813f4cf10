package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NotesAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests where the log of a folder of notes is, and when it is made. */
class NotesKbTest {
  @TempDir private Path temp;
  private Path notes;
  private Path cache;
  private Settings settings;

  @BeforeEach
  void write() throws IOException {
    notes = Files.createDirectories(temp.resolve("vault"));
    settings = DaemonFixture.settings(temp, Map.of());
    cache = settings.cache();
    Files.writeString(notes.resolve("a.md"), "# One\n\nText.");
    Files.writeString(notes.resolve("b.md"), "# Two\n\nText.");
  }

  @Test
  void theFolderIsKnownByItsRealPathAndTheLogBySeveralWays() throws IOException {
    NotesKb found = NotesKb.at(notes, settings);
    assertEquals("vault", found.kb().folder().getFileName().toString());
    Path link = Files.createSymbolicLink(temp.resolve("link"), notes);
    assertEquals(found, NotesKb.at(link, settings));
    assertEquals(Optional.empty(), NotesKb.of(found.kb(), settings), "nothing is there yet");
    assertEquals(2, found.refresh().orElseThrow().entries());
    assertEquals(Optional.of(found), NotesKb.of(found.kb(), settings));
    assertEquals(2, DataLog.read(found.kb().dataLog()).entries().size());
    assertEquals(2, found.account().orElseThrow().files());
  }

  @Test
  void aFolderElsewhereIsNotBelieved() throws IOException {
    NotesKb found = NotesKb.at(notes, settings);
    found.refresh();
    Kb copied = new Kb(Files.createDirectories(temp.resolve("foreign")));
    for (String name : new String[] {"data.log", "notes.json"}) {
      Files.copy(found.kb().folder().resolve(name), copied.folder().resolve(name));
    }
    assertEquals(Optional.empty(), NotesKb.of(copied, settings));
    Kb moved = new Kb(cache.resolve("notes/0000/vault"));
    Files.createDirectories(moved.folder().getParent());
    Files.move(found.kb().folder(), moved.folder());
    assertEquals(Optional.empty(), NotesKb.of(moved, settings));
  }

  @Test
  void withoutAChangeNothingIsRead() throws Exception {
    NotesKb found = NotesKb.at(notes, settings);
    found.refresh();
    Thread.sleep(
        2_100); // waits until files count as unchanged; a new change could otherwise have the same
    // time
    found.refresh();
    assertEquals(Optional.empty(), found.refresh());
    Files.writeString(notes.resolve("a.md"), "# One\n\nOther.");
    assertTrue(found.refresh().isPresent());
  }

  @Test
  void oneFileOfFactsIsReadItemByItem() throws IOException {
    Path file = Files.writeString(notes.resolve("facts.md"), "- one\n- two\n- three\n");
    NotesKb found = NotesKb.at(file, settings);
    assertEquals("facts.md", found.name());
    assertEquals("--notes facts.md", found.again());
    assertEquals("--notes .", NotesKb.at(notes, settings).again());
    assertEquals("--memory", NotesKb.ofMemory(notes, temp, settings).again());
    NotesAccount made = found.refresh().orElseThrow();
    assertEquals(1, made.files());
    assertEquals(
        List.of("one", "two", "three"),
        DataLog.read(found.kb().dataLog()).entries().stream()
            .map(entry -> entry.text().content())
            .toList());
    assertEquals(3, NotesKb.at(notes, settings).refresh().orElseThrow().entries());
    Files.delete(file);
    assertEquals(ExitCode.KB, assertThrows(Failure.class, () -> found.refresh()).code());
  }

  /** A repository may have no Markdown files except the memory files of its agents. */
  @Test
  void memoryFilesOfARepositoryAreReadWithoutTheOptionThatNamesThem() throws IOException {
    Path repository = temp.resolve("repository");
    List<String> read =
        List.of(
            ".agent/rules/a.md",
            ".claude/CLAUDE.md",
            ".clinerules/01-style.md",
            ".cursor/rules/lessons.mdc",
            ".cursorrules",
            ".github/instructions/memory.instructions.md",
            "memory-bank/progress.md");
    write(repository, read);
    write(
        repository,
        List.of(".roo/rules/x.md", ".cursor/other.mdc", ".windsurfrules", ".claude/skills/x.md"));
    Files.createSymbolicLink(repository.resolve(".kiro"), repository.resolve(".agent"));
    Files.createDirectories(repository.resolve(".junie"));
    Files.createSymbolicLink(
        repository.resolve(".junie/guidelines.md"), repository.resolve(".cursorrules"));
    Files.writeString(repository.resolve(".gitignore"), ".roo/\n.windsurfrules\n");
    NotesAccount made = NotesKb.at(repository, settings).refresh().orElseThrow();
    assertEquals(read, memory(made));
    assertEquals(3 * read.size(), made.entries(), "one for each item");
    assertEquals(
        List.of(".junie/guidelines.md"),
        made.leftOut().files().stream().map(one -> one.path()).toList());
  }

  @Test
  void rulesInSubfoldersAreRead() throws IOException {
    List<String> read =
        List.of(
            ".claude/rules/frontend/react.md",
            ".cursor/rules/fe/deep/r.mdc",
            ".github/instructions/fe/x.instructions.md",
            "pkg/.cursor/rules/p.mdc");
    write(notes, read);
    write(
        notes,
        List.of(".github/workflows/x.md", "pkg/.cursor/x.mdc", "pkg/p.mdc", ".git/CLAUDE.md"));
    Files.delete(notes.resolve("a.md"));
    Files.delete(notes.resolve("b.md"));
    Path home = temp.resolve("me");
    write(home, List.of(".claude/rules/all/h.md"));
    NotesAccount inFolder = NotesKb.at(notes, settings).refresh().orElseThrow();
    assertEquals(read, memory(inFolder));
    NotesAccount memory = NotesKb.ofMemory(notes, home, settings).refresh().orElseThrow();
    assertEquals(
        Stream.concat(read.stream(), Stream.of("~/.claude/rules/all/h.md")).toList(),
        memory(memory));
  }

  private void write(Path folder, List<String> paths) throws IOException {
    for (String path : paths) {
      Path file = folder.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "- one of " + path + "\n- two\n- three\n");
    }
  }

  private static List<String> memory(NotesAccount made) {
    return made.memory().stream().map(MemoryFile::path).sorted().toList();
  }

  @Test
  void whatAgentsKeepOfTheUserAndInTheRepositoryIsRead() throws IOException {
    Path home = temp.resolve("me");
    List<String> own =
        List.of(".claude/CLAUDE.md", ".claude/projects/a/memory/MEMORY.md", ".codex/AGENTS.md");
    List<String> shared = List.of(".cursorrules", "CLAUDE.local.md", "CLAUDE.md", "sub/AGENTS.md");
    write(home, own);
    write(notes, shared);
    write(notes, List.of("node_modules/x/CLAUDE.md", "out/CLAUDE.md", ".git/CLAUDE.md"));
    Files.createSymbolicLink(notes.resolve("GEMINI.md"), home.resolve(".codex/AGENTS.md"));
    Files.writeString(notes.resolve(".gitignore"), "out/\n*.local.md\n");
    NotesKb found = NotesKb.ofMemory(notes.resolve("sub"), home, settings);
    NotesAccount made = found.refresh().orElseThrow();
    assertEquals(
        Stream.concat(own.stream().map("~/"::concat), shared.stream()).sorted().toList(),
        memory(made));
    assertEquals(
        List.of("GEMINI.md"), made.leftOut().files().stream().map(one -> one.path()).toList());
    assertEquals(Optional.of(found), NotesKb.of(found.kb(), settings), "it is known again");
    assertEquals(made, found.account().orElseThrow());
    assertNotEquals(found.kb(), NotesKb.at(notes, settings).kb());
    Failure none =
        assertThrows(
            Failure.class,
            () -> NotesKb.ofMemory(temp.resolve("vault2"), temp.resolve("no"), settings).look());
    assertTrue(none.getMessage().startsWith("there are no memory files"), none.getMessage());
  }

  @Test
  void aHomeFolderThatIsARepositoryIsReadOnce() throws IOException {
    Path home = Files.createDirectories(temp.resolve("me")).toRealPath();
    Files.createDirectory(home.resolve(".git"));
    write(home, List.of(".claude/CLAUDE.md", "project/AGENTS.md"));
    Files.createSymbolicLink(home.resolve(".claude/GEMINI.md"), home.resolve("project/AGENTS.md"));
    NotesAccount made = NotesKb.ofMemory(home, home, settings).refresh().orElseThrow();
    assertEquals(List.of("project/AGENTS.md", "~/.claude/CLAUDE.md"), memory(made));
    assertEquals(1, made.leftOut().total());
  }

  @Test
  void aWrongLineOfAnIndexIsKeptInTheAccount() throws IOException {
    String lines = "- [Gone](gone.md) — nothing\n- [One](a.md) — one\n- [Two](b.md) — two\n";
    Files.writeString(notes.resolve("MEMORY.md"), lines);
    NotesKb found = NotesKb.at(notes, settings);
    NotesAccount made = found.refresh().orElseThrow();
    assertEquals(
        List.of(new MemoryFile.IndexLine(1, "gone.md", true)), made.memory().getFirst().index());
    assertEquals(Optional.of(made), found.account());
  }

  @Test
  void theMessageSaysThatGitIgnoresAllNotes() throws IOException {
    Files.createDirectory(notes.resolve(".git"));
    Files.writeString(notes.resolve(".gitignore"), "*.md\n");
    Failure empty = assertThrows(Failure.class, () -> NotesKb.at(notes, settings).look());
    assertTrue(
        empty.getMessage().contains("; git ignores 2 of its files and folders;"),
        empty.getMessage());
  }

  @Test
  void notesThatAreOutOfReachLeaveTheLogAsItIs() throws IOException {
    NotesKb found = NotesKb.at(notes, settings);
    found.refresh();
    byte[] log = Files.readAllBytes(found.kb().dataLog());
    Files.delete(notes.resolve("a.md"));
    Files.delete(notes.resolve("b.md"));
    Failure empty = assertThrows(Failure.class, () -> found.refresh());
    assertEquals(ExitCode.KB, empty.code());
    assertTrue(empty.getMessage().startsWith("there are no notes in"), empty.getMessage());
    Files.delete(notes);
    assertEquals(ExitCode.KB, assertThrows(Failure.class, () -> found.refresh()).code());
    assertArrayEquals(log, Files.readAllBytes(found.kb().dataLog()));
  }
}
