package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
