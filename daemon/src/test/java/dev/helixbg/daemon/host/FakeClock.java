package dev.helixbg.daemon.host;

import java.time.Duration;
import java.time.Instant;

/**
 * A clock that advances only when a test advances it. The date may jump, but not the nanoseconds.
 */
public final class FakeClock implements DaemonClock {
  private volatile long nanos =
      Long.MAX_VALUE
          - Duration.ofHours(1)
              .toNanos(); // the value overflows during a test, which code must tolerate
  private volatile Instant now = Instant.parse("2026-03-01T08:00:00Z");

  /** Error that the clock throws in the thread of idle work; null: none. */
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
