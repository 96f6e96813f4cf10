package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;
import java.util.function.Supplier;

/** All that an analysis asks about the similarities of entries to each other. */
sealed interface PairSimilarities permits PairSimilarities.ScannedPairs, IncrementalPairs {
  /**
   * Hands the pairs whose similarity is at least {@code limit} to one or more sinks.
   *
   * @param limit at least the lowest similarity of a finding
   * @return the sinks that {@code sinks} made
   */
  <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks);

  /** The nearest neighbours of each entry by vectors. */
  NearestNeighbours.Both nearest();

  Distribution distribution();

  /** Pairs too many to keep: compared anew whenever something is asked. */
  record ScannedPairs(
      PackedVectors packed, NearestNeighbours.Both nearest, Distribution distribution, int threads)
      implements PairSimilarities {

    /**
     * @param packed the vectors of the entries
     */
    static ScannedPairs of(
        List<String> keys,
        Vectors vectors,
        PackedVectors packed,
        ComparedVectors texts,
        int maxDrawn,
        int threads) {
      NearestNeighbours.Both nearest =
          NearestNeighbours.Both.empty(texts, EvenSample.orderByKey(keys));
      texts.packed(
          packed,
          all -> AllPairs.among(all, Float.NEGATIVE_INFINITY, threads, () -> nearest.sink(texts)));
      return new ScannedPairs(
          packed,
          nearest,
          SimilarityDistribution.of(keys, vectors, nearest.all(), maxDrawn, threads),
          threads);
    }

    @Override
    public <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks) {
      return AllPairs.among(packed, limit, threads, sinks);
    }
  }
}
