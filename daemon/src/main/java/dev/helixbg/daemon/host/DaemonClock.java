package dev.helixbg.daemon.host;

import java.time.Instant;

/**
 * The time, as the daemon asks for it; a seam for tests. Waits are measured by {@link #nanos},
 * which no change of the date can move; {@link #now} only goes into files and words.
 */
public interface DaemonClock {
  /** Nanoseconds since any moment; never runs backwards. */
  long nanos();

  Instant now();

  DaemonClock SYSTEM =
      new DaemonClock() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public Instant now() {
          return Instant.now();
        }
      };
}
