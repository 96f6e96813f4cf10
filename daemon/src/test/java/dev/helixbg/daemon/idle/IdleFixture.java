package dev.helixbg.daemon.idle;

import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.util.List;

/** Idle work of a daemon on a machine that is on battery and busy. */
final class IdleFixture implements AutoCloseable {
  private final DaemonFixture daemon;
  private final IdleWork work;

  IdleFixture(DaemonFixture daemon) {
    this.daemon = daemon;
    work =
        new IdleWork(
            daemon.settings,
            new FakeModel(),
            daemon.clock,
            daemon.troubles,
            daemon.metrics,
            new IdleWork.Machine(() -> true, () -> 100));
  }

  /** Whether there is something to do. */
  boolean consider() {
    return work.consider(List.of(daemon.watch));
  }

  /** Lets what is under way end. */
  void await() throws InterruptedException {
    while (work.isRunning()) {
      Thread.sleep(5);
      consider();
    }
  }

  @Override
  public void close() {
    work.close();
  }
}
