package dev.helixbg.daemon.host;

import dev.helixbg.config.Progress;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the daemon's work since its start; any thread may increment them. */
public final class DaemonMetrics {
  public record Trouble(Instant at, String message) {}

  /** Number of checks of KBs. */
  public final LongAdder ticks = new LongAdder();

  /** Number of times that a log was read, including logs that had not changed. */
  public final LongAdder readings = new LongAdder();

  public final LongAdder reports = new LongAdder();

  /** Number of embedded texts, including texts whose vectors are not saved yet. */
  public final LongAdder embedded = new LongAdder();

  public final LongAdder searches = new LongAdder();

  /** Number of questions that the language model answered. */
  public final LongAdder answers = new LongAdder();

  /** Time in which the language model read and generated, in nanoseconds. */
  public final LongAdder modelNanos = new LongAdder();

  /** Time spent on updates of KBs, in nanoseconds. */
  public final LongAdder workNanos = new LongAdder();

  /** Number of all problems, solved or not. */
  public final LongAdder troubles = new LongAdder();

  private volatile Trouble last;
  private final DaemonClock clock;

  public DaemonMetrics(DaemonClock clock) {
    this.clock = clock;
  }

  /** Returns a display that counts embedded texts and shows nothing. */
  public Progress.Display countingEmbedded() {
    return (_, _, _) -> (texts, _) -> embedded.add(texts);
  }

  void error(String message) {
    troubles.increment();
    last = new Trouble(clock.now(), message);
  }

  public Optional<Trouble> lastTrouble() {
    return Optional.ofNullable(last);
  }
}
