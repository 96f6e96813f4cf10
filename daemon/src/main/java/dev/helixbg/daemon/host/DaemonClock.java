package dev.helixbg.daemon.host;

import java.time.Instant;

/**
 * The daemon's clock, which tests replace. Waits are measured by {@link #nanos}, which does not
 * depend on the date; {@link #now} is used for output only.
 */
public interface DaemonClock {
  DaemonClock SYSTEM = new DaemonClock() {};

  /** Nanoseconds since any moment; never runs backwards. */
  default long nanos() {
    return System.nanoTime();
  }

  default Instant now() {
    return Instant.now();
  }
}
