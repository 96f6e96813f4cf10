package dev.helixbg.embed.bench;

import dev.helixbg.embed.cache.Cosine;

/**
 * The change of the cosines of pairs if their vectors are computed in another precision.
 *
 * @param pairs number of pairs
 * @param mean mean of the absolute differences
 * @param p99 99th percentile of the absolute differences, rounded up to a multiple of 1e-4
 * @param largest largest absolute difference
 */
public record SimilarityShift(long pairs, double mean, double p99, double largest) {

  private static final int BINS = 20_000; // bins of 1e-4, up to the largest possible difference, 2

  /**
   * Compares the cosine of each pair of {@code exact} vectors with the cosine of the same pair of
   * {@code approximate} vectors.
   */
  public static SimilarityShift between(float[][] exact, float[][] approximate) {
    long[] histogram = new long[BINS];
    double sum = 0;
    double largest = 0;
    for (int i = 0; i < exact.length; i++) {
      for (int j = 0; j < i; j++) {
        double before = Cosine.of(exact[i], exact[j]);
        double after = Cosine.of(approximate[i], approximate[j]);
        double difference = Math.abs(after - before);
        histogram[(int) Math.min(BINS - 1, difference * BINS / 2)]++;
        sum += difference;
        largest = Math.max(largest, difference);
      }
    }
    long pairs = (long) exact.length * (exact.length - 1) / 2;
    long below = 0;
    int bin = 0;
    while (bin < BINS - 1 && (below += histogram[bin]) < 0.99 * pairs) {
      bin++;
    }
    return new SimilarityShift(pairs, sum / pairs, (bin + 1) * 2.0 / BINS, largest);
  }
}
