package dev.helixbg.daemon.idle;

import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.watch.DaemonFixture;
import java.util.List;

/** Idle work of a daemon on a machine that is on battery and busy. */
final class IdleFixture implements AutoCloseable {
  private final DaemonFixture daemon;
  private final LanguageModelHost model;
  private final IdleWork work;

  IdleFixture(DaemonFixture daemon) {
    this.daemon = daemon;
    model = new LanguageModelHost(daemon.settings, daemon.clock, daemon.metrics);
    work =
        new IdleWork(
            daemon.settings,
            model,
            new IdleQuestions(daemon.settings, model, daemon.clock, new FakeModel()),
            daemon.clock,
            daemon.troubles,
            new IdleWork.Machine(() -> true, () -> 100));
  }

  /** Whether there is something to do. */
  boolean consider() {
    return work.consider(List.of(daemon.watch), false);
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
    model.close();
  }
}
