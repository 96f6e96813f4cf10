package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.List;

/**
 * Measures how similar entries are to each other: by all pairs of a small KB, in a large one by all
 * pairs of entries drawn evenly. Nearest neighbours are sought among all entries in either case.
 */
final class SimilarityDistribution {
  private static final double HISTOGRAM_FROM = -0.2;
  private static final int BINS_PER_UNIT = 50;
  private static final int BINS = 60;

  private SimilarityDistribution() {}

  /**
   * @param pairs of all entries
   * @param maxDrawn entries whose pairs are counted
   */
  static Distribution of(
      PairSource pairs,
      List<String> keys,
      Vectors vectors,
      PackedVectors packed,
      int maxDrawn,
      int threads) {
    return pairs instanceof KeptPairs kept && vectors.count() <= maxDrawn
        ? of(kept.similarities(), false, nearest(kept))
        : ofSample(EvenDraw.of(keys, EvenDraw.ordinals(keys), maxDrawn), vectors, packed, threads);
  }

  private static Distribution ofSample(
      int[] drawn, Vectors vectors, PackedVectors packed, int threads) {
    Nearest nearest = new Nearest(drawn);
    try (PackedVectors sample = PackedVectors.pack(vectors.select(drawn))) {
      AllPairs.between(sample, packed, Float.NEGATIVE_INFINITY, threads, () -> new Nearest(drawn))
          .forEach(nearest::add);
      return of(
          KeptPairs.of(sample, threads).similarities(),
          drawn.length < vectors.count(),
          nearest.similarity);
    }
  }

  /** The similarity of drawn entries to their nearest neighbours. */
  private static final class Nearest implements PairSink {
    private final int[] drawn;
    private final float[] similarity;

    Nearest(int[] drawn) {
      this.drawn = drawn;
      this.similarity = new float[drawn.length];
      Arrays.fill(similarity, Float.NEGATIVE_INFINITY);
    }

    @Override
    public void accept(int row, int other, float cosine) {
      if (cosine > similarity[row] && drawn[row] != other) {
        similarity[row] = cosine;
      }
    }

    void add(Nearest other) {
      for (int row = 0; row < similarity.length; row++) {
        similarity[row] = Math.max(similarity[row], other.similarity[row]);
      }
    }
  }

  private static float[] nearest(KeptPairs pairs) {
    float[] nearest = new float[pairs.count()];
    Arrays.fill(nearest, Float.NEGATIVE_INFINITY);
    pairs.atLeast(
        Float.NEGATIVE_INFINITY,
        () ->
            (i, j, similarity) -> {
              if (similarity > nearest[i]) {
                nearest[i] = similarity;
              }
              if (similarity > nearest[j]) {
                nearest[j] = similarity;
              }
            });
    return nearest;
  }

  /**
   * @param similarities of all pairs that are counted, in any order
   * @param nearest of each entry that is counted to its nearest neighbour, in any order
   */
  static Distribution of(float[] similarities, boolean sampled, float[] nearest) {
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
}
