package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLockTest {
  @TempDir Path folder;

  @Test
  void aLockIsHeldOnceAlsoUnderAnotherName() throws IOException {
    Path file = folder.resolve("lock");
    Path alias = Files.createSymbolicLink(folder.resolve("alias"), folder).resolve("lock");
    try (ProcessLock held = ProcessLock.take(file, Duration.ZERO).orElseThrow()) {
      assertTrue(ProcessLock.take(file, Duration.ofMillis(50)).isEmpty());
    }
    try (ProcessLock held = ProcessLock.take(file, Duration.ZERO).orElseThrow()) {
      assertTrue(ProcessLock.take(alias, Duration.ZERO).isEmpty());
    }
    ProcessLock.take(alias, Duration.ZERO).orElseThrow().close();
    assertEquals("rw-------", OnDisk.mode(file));
  }

  @Test
  void aLockFollowsNoLink() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
    assertThrows(IOException.class, () -> ProcessLock.take(link, Duration.ZERO));
    assertEquals("private", Files.readString(victim));
  }
}
