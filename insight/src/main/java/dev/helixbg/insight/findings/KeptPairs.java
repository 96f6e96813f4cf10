package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import java.util.List;
import java.util.function.Supplier;

/**
 * The similarities of all pairs of a few vectors, computed once.
 *
 * @param count vectors
 * @param similarities that of i &lt; j at j(j−1)/2 + i
 */
record KeptPairs(int count, float[] similarities) implements PairSource {
  /** Their 1,999,000 pairs take 8 MB. */
  static final int MAX_VECTORS = 2_000;

  /**
   * @param vectors at most {@link #MAX_VECTORS}
   */
  static KeptPairs of(PackedVectors vectors, int threads) {
    int count = vectors.count();
    float[] similarities = new float[count * Math.max(0, count - 1) / 2];
    // Workers share the array, but no two of them write the same element.
    AllPairs.among(
        vectors,
        Float.NEGATIVE_INFINITY,
        threads,
        () -> (i, j, similarity) -> similarities[j * (j - 1) / 2 + i] = similarity);
    return new KeptPairs(count, similarities);
  }

  @Override
  public <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks) {
    S sink = sinks.get();
    int pair = 0;
    for (int j = 1; j < count; j++) {
      for (int i = 0; i < j; i++, pair++) {
        if (similarities[pair] >= limit) {
          sink.accept(i, j, similarities[pair]);
        }
      }
    }
    return List.of(sink);
  }
}
