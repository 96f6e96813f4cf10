package dev.helixbg.insight.lessons;

import dev.helixbg.insight.findings.NearestNeighbours;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Pairs each sentence with the sentences that are nearest by CSLS. The CSLS of two sentences is
 * their cosine minus the mean of the cosines that both have with their ten nearest sentences.
 */
final class NearestSentences {
  static final int NEAREST = 3;

  /** Number of nearest sentences in the mean: the k of CSLS (Conneau et al. 2018). */
  private static final int AROUND = 10;

  private NearestSentences() {}

  /** The indices of two sentences, the lower one first. */
  record Pair(int a, int b) {
    static Pair of(int one, int other) {
      return new Pair(Math.min(one, other), Math.max(one, other));
    }
  }

  /**
   * Returns pairs of nearest sentences. Pairs from two topics come before pairs from one topic.
   * Within each of these two groups, the nearest pairs come first.
   */
  static List<Pair> of(Vectors vectors, List<String> topics) {
    int count = vectors.count();
    if (count < 2) {
      return List.of();
    }
    int[] inOrder = IntStream.range(0, count).toArray();
    NearestNeighbours around = new NearestNeighbours(inOrder, AROUND);
    NearestNeighbours nearest = new NearestNeighbours(inOrder, NEAREST);
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      scan(packed, around, new double[count]);
      double[] means = IntStream.range(0, count).mapToDouble(around::mean).toArray();
      scan(packed, nearest, means);
    }
    Map<Pair, Float> pairs = new HashMap<>();
    for (int i = 0; i < count; i++) {
      for (int place = 0; place < Math.min(NEAREST, count - 1); place++) {
        pairs.put(Pair.of(i, nearest.neighbour(i, place)), nearest.similarity(i, place));
      }
    }
    return pairs.keySet().stream()
        .sorted(
            Comparator.comparing((Pair pair) -> topics.get(pair.a()).equals(topics.get(pair.b())))
                .thenComparing(pair -> -pairs.get(pair))
                .thenComparing(Pair::a)
                .thenComparing(Pair::b))
        .toList();
  }

  /**
   * Offers all pairs to {@code lists}. The nearness of a pair is its cosine minus the average of
   * {@code means} of the two sentences.
   */
  private static void scan(PackedVectors vectors, NearestNeighbours lists, double[] means) {
    AllPairs.among(
        vectors,
        Float.NEGATIVE_INFINITY,
        1,
        (a, b, cosine) -> {
          float nearness = (float) (cosine - (means[a] + means[b]) / 2);
          lists.offer(a, b, nearness);
          lists.offer(b, a, nearness);
        });
  }
}
