package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import java.util.List;
import java.util.function.Supplier;

/** All pairs of some vectors with their similarities, to be gone through more than once. */
sealed interface PairSource permits KeptPairs, KnownPairs, PairSource.ComputedPairs {

  /**
   * Hands the pairs whose similarity is at least {@code limit} to one or more sinks.
   *
   * @return the sinks that {@code sinks} made
   */
  <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks);

  /** Keeps the similarities of few vectors; those of many are computed each time. */
  static PairSource of(PackedVectors vectors, int threads) {
    return vectors.count() <= KeptPairs.MAX_VECTORS
        ? KeptPairs.of(vectors, threads)
        : new ComputedPairs(vectors, threads);
  }

  /** Pairs too many to keep. */
  record ComputedPairs(PackedVectors vectors, int threads) implements PairSource {
    @Override
    public <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks) {
      return AllPairs.among(vectors, limit, threads, sinks);
    }
  }
}
