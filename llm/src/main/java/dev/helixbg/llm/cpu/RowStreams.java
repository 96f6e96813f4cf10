package dev.helixbg.llm.cpu;

import java.util.Arrays;

/**
 * In how many streams a thread reads the rows of a matrix, found out by trying both ways on parts
 * that it multiplies anyway, again and again.
 *
 * <p>Intel's processors ask for memory too late along a single stream and gain a third from eight;
 * AMD's Zen 5 loses the eight and half to two thirds of its speed. Results are the same, bit for
 * bit.
 */
final class RowStreams {
  /** Number of streams when there are several: further ones gain no more. */
  static final int MANY = 8;

  /** Parts from one trial to the next: some 30 tokens. A trial is nearly a hundredth of them. */
  static final int PERIOD = 1 << 14;

  /**
   * Parts before the first trial: a few tokens. In the first one pages of the model are still being
   * mapped, and what that costs hides what the ways do.
   */
  static final int FIRST = 1 << 11;

  /** Parts that a trial times in each way: a thousandth of a second or two. */
  private static final int SAMPLES = 64;

  /** Smaller parts say more about calls than about memory. */
  private static final long LEAST_BYTES = 1 << 15;

  /** Nanoseconds per byte, of one stream and of many. */
  private final double[][] samples = new double[2][SAMPLES];

  private int untilTrialEnds = FIRST + 2 * SAMPLES;
  private int chosen = 1;

  /** The number for the next part. */
  int next() {
    return !times() ? chosen : untilTrialEnds % 2 == 0 ? 1 : MANY;
  }

  /** Whether the next part is one of a trial: {@link #took} wants to know how long it takes. */
  boolean times() {
    return untilTrialEnds <= 2 * SAMPLES;
  }

  /**
   * Takes note of the part for which {@link #next} was asked.
   *
   * @param nanos how long it took, if {@link #times}
   */
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

  /** Not the mean: now and then another thread gets the processor. */
  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
