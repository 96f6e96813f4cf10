package dev.helixbg.daemon.host;

import java.time.Instant;

/**
 * The daemon's clock, which tests replace. Waits are measured by {@link #nanos}, which does not
 * depend on the date; {@link #now} is used for output only.
 */
public interface DaemonClock {
  DaemonClock SYSTEM = new DaemonClock() {};

  /** Returns nanoseconds since an arbitrary moment; the value never decreases. */
  default long nanos() {
    return System.nanoTime();
  }

  default Instant now() {
    return Instant.now();
  }
}
