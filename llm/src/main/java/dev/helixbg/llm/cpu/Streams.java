package dev.helixbg.llm.cpu;

import java.util.Arrays;

/**
 * In how many streams a thread reads the rows of a matrix, found out by trying both ways on the
 * first parts it multiplies.
 *
 * <p>Intel's processors ask for memory too late along a single stream and gain a third from eight;
 * AMD's Zen 5 loses the eight and half to two thirds of its speed. Results are the same, bit for
 * bit.
 */
final class Streams {
  /** Of several streams: further ones gain no more. */
  static final int MANY = 8;

  /** Parts that are timed in each way: a thousandth of a second or two. */
  private static final int SAMPLES = 64;

  /** Smaller parts say more about calls than about memory. */
  private static final long LEAST_BYTES = 1 << 15;

  /** Nanoseconds per byte, of one stream and of many. */
  private final double[][] samples = new double[2][SAMPLES];

  private int taken;
  private int chosen;

  /** The number for the next part. */
  int next() {
    return chosen != 0 ? chosen : taken % 2 == 0 ? 1 : MANY;
  }

  /** Whether {@link #took} is still of use. */
  boolean asks() {
    return chosen == 0;
  }

  /** Takes note of how long the part took for which {@link #next} was asked. */
  void took(long nanos, long bytes) {
    if (bytes < LEAST_BYTES) {
      return;
    }
    samples[taken % 2][taken / 2] = (double) nanos / bytes;
    if (++taken == 2 * SAMPLES) {
      chosen = median(samples[0]) <= median(samples[1]) ? 1 : MANY;
    }
  }

  /** Not the mean: now and then another thread gets the processor. */
  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
