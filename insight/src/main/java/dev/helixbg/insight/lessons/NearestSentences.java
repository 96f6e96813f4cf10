package dev.helixbg.insight.lessons;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Each sentence with the ones nearest to it by CSLS: the cosine, less the mean cosine of both
 * sentences with the ten that are nearest to them.
 */
final class NearestSentences {
  /** Sentences that each one is compared with. */
  static final int NEAREST = 3;

  /** The k of CSLS (Conneau et al. 2018). */
  private static final int AROUND = 10;

  private NearestSentences() {}

  /** Two sentences by their indices, the lower one first. */
  record Pair(int a, int b) {
    static Pair of(int one, int other) {
      return new Pair(Math.min(one, other), Math.max(one, other));
    }
  }

  /**
   * The pairs of a sentence and one of its nearest: across topics first, then those that are
   * nearest.
   *
   * @param vectors of the sentences
   * @param topics of the sentences
   */
  static List<Pair> of(Vectors vectors, List<String> topics) {
    int count = vectors.count();
    if (count < 2) {
      return List.of();
    }
    Tops around = new Tops(count, Math.min(AROUND, count - 1));
    Tops nearest = new Tops(count, Math.min(NEAREST, count - 1));
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      scan(packed, around::offer);
      double[] means = around.means();
      scan(packed, (a, b, cosine) -> nearest.offer(a, b, (float) csls(cosine, means[a], means[b])));
    }
    Map<Pair, Float> pairs = nearest.pairs();
    List<Pair> order = new ArrayList<>(pairs.keySet());
    order.sort(
        Comparator.comparing((Pair pair) -> topics.get(pair.a()).equals(topics.get(pair.b())))
            .thenComparing(pair -> -pairs.get(pair))
            .thenComparing(Pair::a)
            .thenComparing(Pair::b));
    return order;
  }

  private static double csls(float cosine, double meanOfA, double meanOfB) {
    return cosine - (meanOfA + meanOfB) / 2;
  }

  /** One thread, so that equally near sentences are always offered in the same order. */
  private static void scan(PackedVectors vectors, PairSink sink) {
    AllPairs.among(vectors, Float.NEGATIVE_INFINITY, 1, () -> sink);
  }

  /** For each sentence the few that are nearest by some measure, nearest first. */
  private static final class Tops {
    private final int length;
    private final int[] others;
    private final float[] values;

    Tops(int count, int length) {
      this.length = length;
      others = new int[Math.multiplyExact(count, length)];
      values = new float[others.length];
      Arrays.fill(values, Float.NEGATIVE_INFINITY);
    }

    void offer(int a, int b, float value) {
      insert(a, b, value);
      insert(b, a, value);
    }

    private void insert(int of, int other, float value) {
      int first = of * length;
      int at = first + length - 1;
      if (!isNearer(other, value, at)) {
        return;
      }
      for (; at > first && isNearer(other, value, at - 1); at--) {
        others[at] = others[at - 1];
        values[at] = values[at - 1];
      }
      others[at] = other;
      values[at] = value;
    }

    private boolean isNearer(int other, float value, int than) {
      return value > values[than] || value == values[than] && other < others[than];
    }

    double[] means() {
      double[] means = new double[values.length / length];
      for (int i = 0; i < values.length; i++) {
        means[i / length] += values[i] / length;
      }
      return means;
    }

    Map<Pair, Float> pairs() {
      Map<Pair, Float> pairs = new LinkedHashMap<>();
      for (int i = 0; i < others.length; i++) {
        pairs.put(Pair.of(i / length, others[i]), values[i]);
      }
      return pairs;
    }
  }
}
