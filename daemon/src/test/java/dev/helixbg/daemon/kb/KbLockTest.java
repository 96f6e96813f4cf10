package dev.helixbg.daemon.kb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KbLockTest {
  @TempDir Path folder;

  @BeforeEach
  void log() throws IOException {
    Files.createFile(folder.resolve("data.log"));
  }

  @Test
  void aSecondTakerIsToldAndTheNextOneGetsItAfterwards() {
    Kb kb = new Kb(folder);
    try (KbLock first = KbLock.take(kb)) {
      assertEquals(ExitCode.BUSY, assertThrows(Failure.class, () -> KbLock.take(kb)).code());
    }
    KbLock.take(kb).close();
  }

  /** A flag that the command has not which was called is no advice. */
  @Test
  void whereNobodyMayWriteTheWayOutIsACommand() throws Exception {
    Files.createFile(folder.resolve("insights"));
    Failure failure = assertThrows(Failure.class, () -> KbLock.take(new Kb(folder)));
    assertEquals(ExitCode.WRITE, failure.code());
    assertTrue(
        failure.getMessage().endsWith("look without writing: helix-bg one-shot --no-report"),
        failure.getMessage());
  }

  /** Also by the kernel: looking in vain must not let other processes in. */
  @Test
  void aShortHoldIsWaitedForAndStaysHeldMeanwhile() throws Exception {
    Kb kb = new Kb(folder);
    KbLock first = KbLock.take(kb);
    AtomicReference<KbLock> second = new AtomicReference<>();
    Thread waiting = Thread.ofPlatform().start(() -> second.set(KbLock.take(kb)));
    Thread.sleep(100);
    assertNull(second.get());
    assertTrue(isLockedForOthers(), "the kernel's lock is gone");
    first.close();
    waiting.join();
    assertNotNull(second.get());
    second.get().close();
    assertFalse(isLockedForOthers());
  }

  private boolean isLockedForOthers() throws Exception {
    Path locks = Path.of("/proc/locks");
    assumeTrue(Files.isReadable(locks), "only Linux tells");
    Object inode = Files.getAttribute(folder.resolve("insights/.helix-bg.lock"), "unix:ino");
    return Files.readAllLines(locks).stream().anyMatch(line -> line.contains(":" + inode + " "));
  }

  @Test
  void aFolderThatCannotBeMadeIsAWriteFailure() throws IOException {
    Files.createFile(folder.resolve("insights"));
    Failure failure = assertThrows(Failure.class, () -> KbLock.take(new Kb(folder)));
    assertEquals(ExitCode.WRITE, failure.code());
  }
}
