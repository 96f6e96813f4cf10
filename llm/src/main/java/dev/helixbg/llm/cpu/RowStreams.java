package dev.helixbg.llm.cpu;

import java.util.Arrays;

/**
 * Chooses the number of streams in which a thread reads the rows of a matrix: one or several.
 * Regular trials on ordinary work compare both.
 *
 * <p>Intel's processors prefetch too late on a single stream and gain a third with eight streams;
 * AMD's Zen 5 loses half to two thirds of its speed with eight. Results are the same, bit for bit.
 */
final class RowStreams {
  /** Number of streams where several are used; more streams gain nothing. */
  static final int MANY = 8;

  /** Parts between trials: some 30 tokens. A trial takes nearly a hundredth of the parts. */
  static final int PERIOD = 1 << 14;

  /**
   * Parts before the first trial: a few tokens. At the first token, mapping pages of the model
   * takes more time than the difference to be measured.
   */
  static final int FIRST = 1 << 11;

  /** Parts that a trial times in each way: a millisecond or two. */
  private static final int SAMPLES = 64;

  /** Fewest bytes of a timed part; smaller parts measure calls more than memory. */
  private static final long LEAST_BYTES = 1 << 15;

  /** Times in nanoseconds per byte, with one stream and with {@link #MANY}. */
  private final double[][] samples = new double[2][SAMPLES];

  private int untilTrialEnds = FIRST + 2 * SAMPLES;
  private int chosen = 1;

  int next() {
    return !times() ? chosen : untilTrialEnds % 2 == 0 ? 1 : MANY;
  }

  /** Whether the next part belongs to a trial, and the caller must time it for {@link #took}. */
  boolean times() {
    return untilTrialEnds <= 2 * SAMPLES;
  }

  /** Records the part for which {@link #next} was called; the time counts if {@link #times}. */
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

  /** The median ignores that another thread takes the processor now and then. */
  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
