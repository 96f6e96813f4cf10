package dev.helixbg.daemon.host;

import java.time.Duration;
import java.time.Instant;

/** Time that passes only when a test says so; the date may jump, the nanoseconds do not. */
public final class FakeClock implements DaemonClock {
  private volatile long nanos =
      Long.MAX_VALUE - Duration.ofHours(1).toNanos(); // it will overflow: it may
  private volatile Instant now = Instant.parse("2026-03-01T08:00:00Z");

  /** What asking for the time throws in the thread of idle work, unless null. */
  public volatile Error error;

  @Override
  public long nanos() {
    if (error != null && Thread.currentThread().getName().equals("model")) {
      throw error;
    }
    return nanos;
  }

  @Override
  public Instant now() {
    return now;
  }

  public void pass(Duration time) {
    nanos += time.toNanos();
    now = now.plus(time);
  }

  public void jump(Duration by) {
    now = now.plus(by);
  }
}
