package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitIgnoreTest {
  @TempDir private Path top;

  @BeforeEach
  void make() throws IOException {
    Files.createDirectories(top.resolve(".git"));
  }

  @ParameterizedTest
  @CsvSource({
    "*.tmp.md, a/b.tmp.md, true",
    "/out, out/a.md, true",
    "/out, sub/out/a.md, false",
    "build/, sub/build/a.md, true",
    "docs/*.md, docs/a.md, true",
    "docs/*.md, docs/sub/a.md, false",
    "a/**/z.md, a/z.md, true",
    "a/**/z.md, a/b/c/z.md, true",
    "**/gen/, x/gen/a.md, true",
    "**/gen/, gen/a.md, true",
    "out/**, out/x/a.md, true",
    "# a.md, a.md, false",
    "[a, a.md, false",
    "n[!b].md, na.md, true",
    "n[^b].md, nb.md, false",
    "{a}.md, a.md, false",
    "\uFEFFa.md, a.md, true",
    "foo/**/bar/**/*.md, foo/x/bar/y/f.md, true",
    "**/gen/**/out/*.md, a/gen/b/out/o.md, true",
    "**/gen/**/out/*.md, a/gen/b/out/c/o.md, false",
    "d*/[[:digit:]-]*.md, d1/1.md, true",
    "d*/[[:digit:]-]*.md, d1/a.md, false",
    "[![:xdigit:]].md, g.md, true",
    "*a*b*c*d*e*.md, 1a2b3c4d5e6.md, true",
    "*a*b*c*d*e*.md, 1a2b3c5e4d6.md, false",
    "**/a/*b*/**/*c/*.md, x/a/b/c/y/c/d.md, true",
    "**/a/*b*/**/*c/*.md, x/a/b/c/y/d.md, false",
    "a/?.md, a/b.md, true",
    "a?b.md, a/b.md, false",
    "a[!x]b.md, a/b.md, false",
    "\\*.md, a.md, false",
    "\\*.md, *.md, true",
    "a/**/**/b.md, a/b.md, true"
  })
  void aLineIgnoresWhatGitIgnoresByIt(String line, String path, boolean ignored)
      throws IOException {
    Files.writeString(top.resolve(".gitignore"), line + "\n");
    note(path);
    assertEquals(ignored, notes().isEmpty());
  }

  private void note(String path) throws IOException {
    Path file = top.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "Text.");
  }

  private List<String> notes() throws IOException {
    return NoteFiles.in(top, top.resolve("none")).files().stream()
        .map(NoteFiles.File::path)
        .toList();
  }

  @Test
  void manyStarsAreMatchedInTime() throws IOException {
    Files.writeString(top.resolve(".gitignore"), "**/a".repeat(60) + "\n" + "*a".repeat(120));
    Path path = top.resolve("a".repeat(250) + ("/" + "a".repeat(250)).repeat(10) + ".md");
    GitIgnore rules = GitIgnore.NONE.with(top);
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertFalse(rules.ignores(path, false)));
  }

  @Test
  void aFurtherWorkTreeIsNotRead() throws IOException {
    for (String folder : List.of(".claude/worktrees/x", "sub/y", "module", "elsewhere")) {
      note(folder + "/CLAUDE.md");
    }
    git(".claude/worktrees/x", top + "/.git/worktrees/x");
    git("sub/y", "../../.git/worktrees/y");
    git("module", top + "/.git/modules/module");
    git("elsewhere", "/none/.git/worktrees/elsewhere");
    assertEquals(List.of("elsewhere/CLAUDE.md", "module/CLAUDE.md"), notes());
    assertEquals(1, NoteFiles.in(top.resolve("sub/y"), top).files().size(), "it was named");
  }

  @ParameterizedTest
  @CsvSource({
    "*, true, 1",
    "private/, true, 1",
    "vault, true, 1",
    "private/vault/**, false, 0",
    "private/vault/*.md, false, 0"
  })
  void aFolderThatGitIgnoresIsReadIfItIsNamed(String line, boolean isIgnored, int files)
      throws IOException {
    Files.writeString(top.resolve(".gitignore"), line + "\n");
    note("private/vault/a.md");
    Path vault = top.resolve("private/vault");
    NoteFiles found = NoteFiles.in(vault, top);
    assertEquals(files, found.files().size());
    assertEquals(1 - files, found.ignoredByGit());
    assertEquals(isIgnored, NoteFiles.repository(vault).isEmpty());
  }

  private void git(String folder, String gitDir) throws IOException {
    Files.writeString(top.resolve(folder).resolve(".git"), "gitdir: " + gitDir + "\n");
  }

  @Test
  void laterAndDeeperLinesWinAndAnotherRepositoryHasItsOwn() throws IOException {
    Files.writeString(top.resolve(".gitignore"), "*.md\n!keep.md\n");
    for (String path : List.of("a.md", "keep.md", "sub/b.md", "other/c.md")) {
      note(path);
    }
    Files.writeString(top.resolve("sub/.gitignore"), "!b.md\n");
    Files.createDirectories(top.resolve("other/.git"));
    assertEquals(List.of("keep.md", "other/c.md", "sub/b.md"), notes());
    assertTrue(NoteFiles.in(top.resolve("sub"), top).files().size() == 1, "from the top down");
    Files.delete(top.resolve(".git"));
    assertFalse(GitIgnore.above(top.resolve("sub")).ignores(top.resolve("sub/b.md"), false));
  }
}
