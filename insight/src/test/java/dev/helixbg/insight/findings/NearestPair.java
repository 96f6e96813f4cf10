package dev.helixbg.insight.findings;

import java.util.List;
import java.util.Optional;

/** Relations for tests: each of two entries is the nearest of the other. */
public final class NearestPair {
  public static final Finding.Evidence EVIDENCE = nearness(1, 1);

  private NearestPair() {}

  /** The ranks that a and b have among the nearest entries of the other, and words of both. */
  public static Finding.Evidence nearness(int rankOfB, int rankOfA, String... words) {
    return new Finding.Evidence(
        rankOfB, rankOfA, List.of(words), Optional.empty(), Optional.empty());
  }

  public static Finding.Relation of(
      String id, NamedEntry a, NamedEntry b, double score, double similarity) {
    return new Finding.Relation(id, a, b, score, similarity, EVIDENCE);
  }

  /** The evidence of a pair of which two passages match. */
  public static Finding.Evidence matching(Finding.Matching passages) {
    return new Finding.Evidence(1, 1, List.of(), Optional.empty(), Optional.of(passages));
  }

  /** The same pair, of which two passages match. */
  public static Finding.Relation matching(Finding.Relation pair, Finding.Matching passages) {
    return new Finding.Relation(
        pair.id(), pair.a(), pair.b(), pair.score(), pair.similarity(), matching(passages));
  }
}
