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
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KbLockTest {
  @TempDir Path folder;

  @AutoClose private KbStores stores;
  private KbStore store;

  @BeforeEach
  void open() throws IOException {
    Kb kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    stores = new KbStores(DaemonFixture.settings(folder, Map.of()), notice -> {});
    store = stores.of(kb);
  }

  private Path file() {
    return store.folder().resolve("run.lock");
  }

  private ProcessLock take() {
    return store.lock();
  }

  @Test
  void aSecondTakerIsToldAndTheNextOneGetsItAfterwards() {
    try (ProcessLock first = take()) {
      Failure busy = assertThrows(Failure.class, this::take);
      assertEquals(ExitCode.BUSY, busy.code());
      assertTrue(busy.getMessage().contains(folder.resolve("kb").toString()), busy.getMessage());
    }
    take().close();
  }

  /** The kernel must keep the lock, too: a failed attempt to take it must not release it. */
  @Test
  void aShortHoldIsWaitedForAndStaysHeldMeanwhile() throws Exception {
    ProcessLock first = take();
    AtomicReference<ProcessLock> second = new AtomicReference<>();
    Thread waiting = Thread.ofPlatform().start(() -> second.set(take()));
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
    Object inode = Files.getAttribute(file(), "unix:ino");
    return Files.readAllLines(locks).stream().anyMatch(line -> line.contains(":" + inode + " "));
  }

  @Test
  void aFileThatCannotBeLockedIsAWriteFailure() throws IOException {
    Files.createDirectory(file());
    Failure failure = assertThrows(Failure.class, this::take);
    assertEquals(ExitCode.WRITE, failure.code());
    assertTrue(failure.getMessage().contains(file().toString()), failure.getMessage());
  }
}
