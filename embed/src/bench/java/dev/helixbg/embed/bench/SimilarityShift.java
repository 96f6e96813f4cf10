package dev.helixbg.embed.bench;

import dev.helixbg.embed.cache.Cosine;

/**
 * How far the similarities of pairs move when their vectors come from another precision.
 *
 * @param pairs compared
 * @param mean of the absolute differences
 * @param p99 99 of 100 differences are at most this
 * @param largest of the absolute differences
 */
public record SimilarityShift(long pairs, double mean, double p99, double largest) {

  private static final int BINS = 20_000; // of 1e-4, up to the largest possible difference, 2

  /** Compares all pairs within {@code exact} with the same pairs within {@code approximate}. */
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
