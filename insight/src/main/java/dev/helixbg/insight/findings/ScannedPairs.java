package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.BestPairs.ScoredPair;
import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;

/** Everything computed from the vectors when it is asked for: for one analysis. */
record ScannedPairs(
    PairSource pairs,
    List<String> keys,
    Vectors vectors,
    PackedVectors packed,
    TextVectors texts,
    NearestLists.Counting counting,
    int[] order,
    int maxDrawn,
    int threads)
    implements PairFacts {

  /**
   * @param packed the vectors of the entries
   * @param counting which entries may be each other's nearest
   */
  static ScannedPairs of(
      List<String> keys,
      Vectors vectors,
      PackedVectors packed,
      TextVectors texts,
      NearestLists.Counting counting,
      int maxDrawn,
      int threads) {
    return new ScannedPairs(
        PairSource.of(packed, threads),
        keys,
        vectors,
        packed,
        texts,
        counting,
        EvenDraw.orderByKey(keys),
        maxDrawn,
        threads);
  }

  @Override
  public NeighbourRanks neighbours(List<ScoredPair> asked) {
    return NeighbourRanks.of(asked, vectors, packed, threads);
  }

  @Override
  public NearestLists nearest() {
    if (!texts.hasPassages()) {
      return NearestLists.of(pairs, order, counting);
    }
    try (PackedVectors all = PackedVectors.pack(texts.vectors())) {
      return NearestLists.of(texts, all, order, counting, threads);
    }
  }

  @Override
  public Distribution distribution() {
    return SimilarityDistribution.of(pairs, keys, vectors, packed, maxDrawn, threads);
  }
}
