package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Measures how similar entries are to each other: by all pairs of a small KB, in a large one by all
 * pairs of entries drawn evenly. Nearest neighbours are sought among all entries in either case.
 */
final class SimilarityDistribution {
  private static final long SEED = 384;
  private static final double HISTOGRAM_FROM = -0.2;
  private static final int BINS_PER_UNIT = 50;
  private static final int BINS = 60;

  private SimilarityDistribution() {}

  /**
   * @param pairs of all entries
   */
  static Distribution of(PairSource pairs, Vectors vectors, PackedVectors packed, int threads) {
    return switch (pairs) {
      case KeptPairs kept -> of(kept, false, nearest(kept));
      case PairSource.ComputedPairs _ -> ofSample(vectors, packed, threads);
    };
  }

  private static Distribution ofSample(Vectors vectors, PackedVectors packed, int threads) {
    int[] drawn = draw(vectors.count());
    Nearest nearest = new Nearest(drawn);
    try (PackedVectors sample = PackedVectors.pack(vectors.select(drawn))) {
      AllPairs.between(sample, packed, Float.NEGATIVE_INFINITY, threads, () -> new Nearest(drawn))
          .forEach(nearest::add);
      return of(KeptPairs.of(sample, threads), true, nearest.similarity);
    }
  }

  /** Draws entries, each and each pair as likely as any other, and always the same ones. */
  private static int[] draw(int count) {
    Random random = new Random(SEED);
    return IntStream.generate(() -> random.nextInt(count))
        .distinct()
        .limit(KeptPairs.MAX_VECTORS)
        .sorted()
        .toArray();
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

  private static Distribution of(KeptPairs pairs, boolean sampled, float[] nearest) {
    float[] similarities = pairs.similarities();
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
