package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.host.DaemonClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class DaemonLoopTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Nothing is due for years, so whoever misses the one step that a pause makes waits in vain. */
  @Test
  void aPauseIsAnsweredHoweverSoonItsStepEnds() throws InterruptedException {
    DaemonLoop loop = new DaemonLoop(DaemonClock.SYSTEM, () -> Long.MAX_VALUE);
    Thread thread = start(loop);
    for (int i = 0; i < 2_000; i++) {
      assertTrue(loop.pause(PATIENCE), "pause " + i);
      loop.resume();
    }
    loop.stop();
    thread.join();
  }

  @Test
  void aPauseWaitsForTheStepUnderWay() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    DaemonLoop loop =
        new DaemonLoop(
            DaemonClock.SYSTEM,
            () -> {
              begun.countDown();
              end.await();
              return Long.MAX_VALUE;
            });
    Thread thread = start(loop);
    begun.await();
    assertFalse(loop.pause(Duration.ofMillis(50)), "chores are not called off");
    end.countDown();
    assertTrue(loop.pause(PATIENCE));
    loop.stop();
    thread.join();
  }

  private static Thread start(DaemonLoop loop) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                loop.run();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
  }
}
