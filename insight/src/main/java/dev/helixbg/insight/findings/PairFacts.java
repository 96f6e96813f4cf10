package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.PairSink;
import java.util.List;
import java.util.function.Supplier;

/** All that an analysis asks about the similarities of entries to each other. */
sealed interface PairFacts permits ScannedPairs, KnownPairs {
  /**
   * Hands the pairs whose similarity is at least {@code limit} to one or more sinks.
   *
   * @param limit at least the lowest similarity of a finding
   * @return the sinks that {@code sinks} made
   */
  <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks);

  /** The nearest neighbours of each entry by vectors. */
  NearestLists.Both nearest();

  Distribution distribution();
}
