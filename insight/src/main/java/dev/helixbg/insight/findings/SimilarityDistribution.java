package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/**
 * Measures how similar entries are to each other: by all pairs of a small KB, in a large one by all
 * pairs of entries drawn evenly; and how similar these are to their nearest neighbours among all.
 */
final class SimilarityDistribution {
  /** Entries whose pairs are counted; their 1,999,000 pairs take 8 MB. */
  static final int MAX_DRAWN = 2_000;

  private static final double HISTOGRAM_FROM = -0.2;
  private static final int BINS_PER_UNIT = 50;
  private static final int BINS = 60;

  private SimilarityDistribution() {}

  /**
   * @param maxDrawn entries whose pairs are counted
   */
  static Distribution of(
      List<String> keys, Vectors vectors, NearestNeighbours nearest, int maxDrawn, int threads) {
    int[] drawn = EvenSample.of(keys, NamedEntry.ordinals(keys), maxDrawn);
    float[] similarities = pairs(drawn.length);
    try (PackedVectors sample = PackedVectors.pack(vectors.select(drawn))) {
      // Workers share the array, but no two of them write the same element.
      AllPairs.among(
          sample,
          Float.NEGATIVE_INFINITY,
          threads,
          () -> (i, j, similarity) -> similarities[at(i, j)] = similarity);
    }
    return of(similarities, drawn, nearest);
  }

  /** Room for the similarities of all pairs of so many entries. */
  static float[] pairs(int count) {
    return new float[count * Math.max(0, count - 1) / 2];
  }

  /** The place there of a pair i &lt; j. */
  static int at(int i, int j) {
    return j * (j - 1) / 2 + i;
  }

  /**
   * @param similarities of all pairs of the drawn entries, in any order
   * @param drawn all entries, or a sample
   * @param lists of all entries
   */
  static Distribution of(float[] similarities, int[] drawn, NearestNeighbours lists) {
    boolean sampled = drawn.length < lists.count();
    float[] nearest = new float[drawn.length];
    for (int i = 0; i < nearest.length; i++) {
      nearest[i] = lists.similarity(drawn[i], 0);
    }
    long[] histogram = new long[BINS];
    if (similarities.length == 0) {
      return new Distribution(0, sampled, histogram, HISTOGRAM_FROM, 0, 0, 0, 0, 0);
    }
    for (float similarity : similarities) {
      int bin = (int) ((similarity - HISTOGRAM_FROM) * BINS_PER_UNIT);
      histogram[Math.clamp(bin, 0, BINS - 1)]++;
    }
    Quantiles quantiles = new Quantiles(similarities);
    return new Distribution(
        similarities.length,
        sampled,
        histogram,
        HISTOGRAM_FROM,
        quantiles.at(500),
        quantiles.at(900),
        quantiles.at(990),
        quantiles.at(999),
        new Quantiles(nearest).at(500));
  }

  /**
   * Exact quantiles of many floats without sorting them: counts by the upper half of the bits, then
   * by the lower half.
   */
  static final class Quantiles {
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
}
