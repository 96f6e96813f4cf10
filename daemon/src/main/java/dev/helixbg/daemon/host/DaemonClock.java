package dev.helixbg.daemon.host;

import java.time.Instant;

/**
 * The time, as the daemon asks for it; a seam for tests. Waits are measured by {@link #nanos},
 * which no change of the date can move; {@link #now} only goes into files and words.
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
