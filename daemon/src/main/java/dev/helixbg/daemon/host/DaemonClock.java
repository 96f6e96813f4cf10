package dev.helixbg.daemon.host;

import java.time.Instant;

/**
 * The daemon's clock, which tests replace. Waits are measured by {@link #nanos}, which does not
 * depend on the date; {@link #now} is used for output only.
 */
public interface DaemonClock {
  /** Returns nanoseconds since an arbitrary moment; never decreases. */
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
