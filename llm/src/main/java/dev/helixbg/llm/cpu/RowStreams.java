package dev.helixbg.llm.cpu;

import java.util.Arrays;

/**
 * Chooses the number of streams in which a thread reads the rows of a matrix: one or several.
 * Regular trials during ordinary work compare one stream with several.
 *
 * <p>Intel's processors prefetch too late on a single stream and read a third faster with eight
 * streams. AMD's Zen 5 loses half to two thirds of its speed with eight streams. Results do not
 * depend on the number of streams, bit for bit.
 */
final class RowStreams {
  /** Number of streams if several are used. More than eight streams gain nothing. */
  static final int MANY = 8;

  /**
   * Number of parts between two trials; some 30 tokens have this many parts. Nearly a hundredth of
   * all parts belong to trials.
   */
  static final int PERIOD = 1 << 14;

  /**
   * Number of parts before the first trial; a few tokens have this many parts. At the first token,
   * mapping pages of the model takes more time than the difference to be measured.
   */
  static final int FIRST = 1 << 11;

  /**
   * Number of parts that a trial times with each number of streams. They take a millisecond or two.
   */
  private static final int SAMPLES = 64;

  /** Minimum size of a timed part, in bytes. With smaller parts, the call dominates the time. */
  private static final long LEAST_BYTES = 1 << 15;

  /** Times in nanoseconds per byte, with one stream and with {@link #MANY}. */
  private final double[][] samples = new double[2][SAMPLES];

  private int untilTrialEnds = FIRST + 2 * SAMPLES;
  private int chosen = 1;

  int next() {
    return !times() ? chosen : untilTrialEnds % 2 == 0 ? 1 : MANY;
  }

  /**
   * Returns whether the caller must time the next part, for a trial, and pass it to {@link #took}.
   */
  boolean times() {
    return untilTrialEnds <= 2 * SAMPLES;
  }

  /** Records the part for which {@link #next} was called; uses its time if {@link #times}. */
  void took(long nanos, long bytes) {
    if (bytes < LEAST_BYTES) {
      return;
    }
    untilTrialEnds--;
    if (untilTrialEnds < 2 * SAMPLES) {
      samples[1 - untilTrialEnds % 2][untilTrialEnds / 2] = (double) nanos / bytes;
    }
    if (untilTrialEnds == 0) {
      chosen = median(samples[0]) <= median(samples[1]) ? 1 : MANY;
      untilTrialEnds = PERIOD;
    }
  }

  /** Returns the median, which ignores the few parts during which the processor was taken away. */
  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
