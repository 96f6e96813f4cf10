package dev.helixbg.daemon.host;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the daemon's work since its start; any thread may increment them. */
public final class DaemonMetrics {
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
}
