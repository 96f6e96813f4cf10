package dev.helixbg.insight.findings;

import java.util.List;
import java.util.Optional;

/** Makes relations for tests. Each of the two entries is the other's nearest entry. */
public final class NearestPair {
  public static final Finding.Evidence EVIDENCE = nearness(1, 1);

  private NearestPair() {}

  /** Returns evidence with the ranks of b and a among each other's neighbours, and shared words. */
  public static Finding.Evidence nearness(int rankOfB, int rankOfA, String... words) {
    return new Finding.Evidence(
        rankOfB, rankOfA, List.of(words), Optional.empty(), Optional.empty());
  }

  public static Finding.Relation of(
      String id, NamedEntry a, NamedEntry b, double score, double similarity) {
    return new Finding.Relation(id, a, b, score, similarity, EVIDENCE);
  }

  /** Returns the evidence of a pair with two matching passages. */
  public static Finding.Evidence matching(Finding.Matching passages) {
    return new Finding.Evidence(1, 1, List.of(), Optional.empty(), Optional.of(passages));
  }

  /** Returns a copy of the pair that has two matching passages. */
  public static Finding.Relation matching(Finding.Relation pair, Finding.Matching passages) {
    return new Finding.Relation(
        pair.id(), pair.a(), pair.b(), pair.score(), pair.similarity(), matching(passages));
  }
}
