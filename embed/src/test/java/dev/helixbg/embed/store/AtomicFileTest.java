package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.files.OnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AtomicFileTest {

  @TempDir Path folder;

  @Test
  void replacesTheWholeFile() throws IOException {
    Path target = folder.resolve("report.md");
    Files.writeString(target, "a long old text");
    AtomicFile.replace(target, out -> out.write("new".getBytes()));
    assertEquals("new", Files.readString(target));
    assertEquals(List.of(target), files());
  }

  @Test
  void failureInTheMiddleKeepsTheOldFile() throws IOException {
    Path target = folder.resolve("report.md");
    Files.writeString(target, "old");
    assertThrows(
        IOException.class,
        () ->
            AtomicFile.replace(
                target,
                out -> {
                  out.write(new byte[1 << 20]);
                  throw new IOException("disk full");
                }));
    assertEquals("old", Files.readString(target));
    assertEquals(List.of(target), files());
  }

  /**
   * The target keeps its mode, but others lose the write permission, because later readers trust
   * the file.
   */
  @ParameterizedTest
  @CsvSource({
    "r--------, r--------",
    "rw-r-----, rw-r-----",
    "rw-r--r--, rw-r--r--",
    "---------, ---------",
    "rw-rw-rw-, rw-r--r--"
  })
  void aTargetKeepsItsMode(String before, String after) throws IOException {
    Path file = Files.createFile(folder.resolve("report.md"));
    OnDisk.setMode(file, before);
    AtomicFile.replace(file, out -> out.write(1));
    assertEquals(1, Files.size(file));
    assertEquals(after, OnDisk.mode(file));
  }

  /** The mode of a file in {@code /proc} cannot be set, as on a file system without modes. */
  @Test
  void aModeThatCannotBeSetIsNoFailure() throws IOException {
    Path without = Path.of("/proc/self/status");
    assumeTrue(Files.exists(without), "Linux has such files");
    Path target = Files.writeString(folder.resolve("report.md"), "old");
    AtomicFile.replace(
        target,
        out -> {
          Path temporary = temporary();
          Files.delete(temporary);
          Files.createSymbolicLink(temporary, without);
        });
    assertEquals(without, Files.readSymbolicLink(target));
    Files.delete(target);
  }

  private Path temporary() throws IOException {
    return files().stream()
        .filter(file -> file.toString().endsWith(".helix-bg.tmp"))
        .findFirst()
        .orElseThrow();
  }

  /** The folder /proc cannot be synced; nor can folders of some remote file systems. */
  @ParameterizedTest
  @ValueSource(strings = {"/proc", "/no such folder"})
  void aFolderThatCannotBeSyncedIsNoFailure(String unsynced) {
    AtomicFile.syncFolder(Path.of(unsynced));
  }

  /** The temporary file has the private mode of the final file from its creation on. */
  @Test
  void aTemporaryFileIsPrivateWhileItIsWritten() throws IOException {
    AtomicFile.replace(
        folder.resolve("file"), out -> assertEquals("rw-------", OnDisk.mode(files().getFirst())));
    assertEquals("rw-------", OnDisk.mode(folder.resolve("file")));
  }

  @Test
  void aLinkIsReplacedAndNotFollowed() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
    AtomicFile.replace(link, out -> out.write(1));
    assertFalse(Files.isSymbolicLink(link), "the link is replaced");
    assertEquals("private", Files.readString(victim));
  }

  @Test
  void allLeftoversGoWhereNoOtherProcessWrites() throws IOException {
    Files.createFile(folder.resolve(".report.md.1f.helix-bg.tmp"));
    Files.createFile(folder.resolve(".kb.db.2f.helix-bg.tmp"));
    Path other = Files.createFile(folder.resolve(".notes.tmp"));
    AtomicFile.deleteLeftovers(folder);
    assertEquals(List.of(other), files());
  }

  /** Another user has a separate lock, and may still be writing the file. */
  @Test
  void theTemporaryFileOfAnotherUserStays() throws IOException {
    assumeTrue((int) Files.getAttribute(folder, "unix:uid") == 0, "only root can give files away");
    Path file = Files.createFile(folder.resolve(".report.md.1f.helix-bg.tmp"));
    Files.setAttribute(file, "unix:uid", 65_534);
    AtomicFile.deleteLeftovers(folder);
    AtomicFile.deleteLeftoversOf(folder.resolve("report.md"));
    assertTrue(Files.exists(file));
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    AtomicFile.replace(folder.resolve("report.md"), out -> out.write(1));
    assertFalse(Files.exists(file), "it is a day old");
  }

  @Test
  void leftoversOfKilledRunsGoWhenTheyAreOld() throws IOException {
    Path old = Files.createFile(folder.resolve(".report.md.1f.helix-bg.tmp"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    Path young = Files.createFile(folder.resolve(".report.md.2f.helix-bg.tmp"));
    Path other = Files.createFile(folder.resolve(".other.md.3f.helix-bg.tmp"));
    Files.setLastModifiedTime(other, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
    AtomicFile.replace(folder.resolve("report.md"), out -> out.write(1));
    assertFalse(Files.exists(old));
    assertTrue(Files.exists(young), "another process may be writing it");
    assertTrue(Files.exists(other), "not ours to judge");
  }

  @Test
  void interruptDoesNotTearTheFile() throws IOException {
    Path target = folder.resolve("report.md");
    Thread.currentThread().interrupt();
    try {
      AtomicFile.replace(target, out -> out.write(new byte[1000]));
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
    assertEquals(1000, Files.size(target));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}
