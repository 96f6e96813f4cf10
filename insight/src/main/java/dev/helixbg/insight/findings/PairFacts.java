package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.BestPairs.ScoredPair;
import dev.helixbg.insight.findings.Findings.Distribution;
import java.util.List;

/** All that an analysis asks about the similarities of entries to each other. */
sealed interface PairFacts permits ScannedPairs, KnownPairs {

  /** The pairs, at least those that can be findings. */
  PairSource pairs();

  /** Ranks of the entries of some pairs among each other's neighbours. */
  NeighbourRanks neighbours(List<ScoredPair> pairs);

  Distribution distribution();

  /** The nearest neighbours of each entry by vectors. */
  NearestLists nearest();
}
