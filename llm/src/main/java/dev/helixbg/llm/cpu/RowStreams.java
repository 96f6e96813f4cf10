package dev.helixbg.llm.cpu;

import java.util.Arrays;

/**
 * Chooses whether a thread reads the rows of a matrix in one stream or alternates between several
 * streams (distant regions of the matrix). Regular trials compare the two speeds. A trial times
 * parts of the matrix products that the thread has to compute anyway.
 *
 * <p>Intel's processors prefetch too late on a single stream and read a third faster with eight
 * streams. AMD's Zen 5 loses half to two thirds of its speed with eight streams. The number of
 * streams never changes a bit of a result.
 */
final class RowStreams {
  /** Number of streams when a thread alternates between them; more than eight gain nothing. */
  static final int MANY = 8;

  /**
   * Number of parts of matrix products between the ends of two successive trials. About 30 tokens
   * need this many parts. A trial times nearly one in a hundred of them. Parts smaller than {@link
   * #LEAST_BYTES} are not counted.
   */
  static final int PERIOD = 1 << 14;

  /**
   * Number of counted parts before the first trial, about as many as a few tokens need. The first
   * token is slow, because it accesses each page of the model for the first time, and would distort
   * a trial.
   */
  static final int FIRST = 1 << 11;

  /**
   * Number of parts that a trial times with one stream, and again with {@link #MANY} streams. These
   * parts take 1 or 2 ms.
   */
  private static final int SAMPLES = 64;

  /** Minimum size of counted parts, in bytes. In smaller ones, the call takes most of the time. */
  private static final long LEAST_BYTES = 1 << 15;

  /** Nanoseconds per byte, with one stream (index 0) and with {@link #MANY} streams (index 1). */
  private final double[][] samples = new double[2][SAMPLES];

  private int untilTrialEnds = FIRST + 2 * SAMPLES;
  private int chosen = 1;

  int next() {
    return !times() ? chosen : untilTrialEnds % 2 == 0 ? 1 : MANY;
  }

  /** Returns whether a trial is running. The next part must then be timed for {@link #took}. */
  boolean times() {
    return untilTrialEnds <= 2 * SAMPLES;
  }

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

  /**
   * Returns the median, which ignores the few parts during which another thread got the processor.
   */
  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
