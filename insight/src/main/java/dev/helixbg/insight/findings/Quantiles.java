package dev.helixbg.insight.findings;

/**
 * Exact quantiles of many floats without sorting them: counts by the upper half of the bits, then
 * by the lower half.
 */
final class Quantiles {
  private static final int HALF = 1 << 16;

  private final float[] values;
  private final int[] upper = new int[HALF];

  /**
   * @param values at least one, no NaN; in any order, which stays
   */
  Quantiles(float[] values) {
    this.values = values;
    for (float value : values) {
      upper[rising(value) >>> 16]++;
    }
  }

  /** The smallest value that {@code permille} of 1,000 values do not exceed. */
  float at(int permille) {
    int left = (int) Math.ceilDiv((long) values.length * permille, 1000);
    int high = 0;
    while (left > upper[high]) {
      left -= upper[high++];
    }
    int[] lower = new int[HALF];
    for (float value : values) {
      int bits = rising(value);
      if (bits >>> 16 == high) {
        lower[bits & 0xffff]++;
      }
    }
    int low = 0;
    while (left > lower[low]) {
      left -= lower[low++];
    }
    return fromRising(high << 16 | low);
  }

  /**
   * Bits that rise, as unsigned numbers, as the floats do. Without a branch: the signs of
   * similarities are hard to predict.
   */
  private static int rising(float value) {
    int bits = Float.floatToRawIntBits(value);
    return bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  private static float fromRising(int rising) {
    return Float.intBitsToFloat(rising < 0 ? rising & 0x7fff_ffff : ~rising);
  }
}
