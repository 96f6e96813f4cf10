package dev.helixbg.daemon.host;

import dev.helixbg.daemon.terminal.Progress;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the daemon's work since its start; any thread may count. */
public final class DaemonMetrics {
  /** Something that went wrong. */
  public record Trouble(Instant at, String message) {}

  /** Looks at any KB. */
  public final LongAdder ticks = new LongAdder();

  /** Logs read, whether or not anything was new. */
  public final LongAdder readings = new LongAdder();

  public final LongAdder reports = new LongAdder();

  /** Texts of entries, counted one by one: those of the batch under way may not be saved yet. */
  public final LongAdder embedded = new LongAdder();

  public final LongAdder searches = new LongAdder();

  /** Questions on entries and findings that the language model answered. */
  public final LongAdder answers = new LongAdder();

  /** In which the language model read and generated. */
  public final LongAdder modelNanos = new LongAdder();

  /** In which a KB was brought up to date. */
  public final LongAdder workNanos = new LongAdder();

  /** All that went wrong, whether or not it is over. */
  public final LongAdder troubles = new LongAdder();

  private final AtomicReference<Trouble> last = new AtomicReference<>();
  private final DaemonClock clock;

  public DaemonMetrics(DaemonClock clock) {
    this.clock = clock;
  }

  /** Shows nothing, and counts what is embedded. */
  public Progress.Display countingEmbedded() {
    return (what, things, work) -> part -> embedded.increment();
  }

  void error(String message) {
    troubles.increment();
    last.set(new Trouble(clock.now(), message));
  }

  public Optional<Trouble> lastTrouble() {
    return Optional.ofNullable(last.get());
  }
}
