package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;

/**
 * Two entries side by side.
 *
 * @param rank where the pair stands among all pairs, in words
 * @param nearness how near the two are as neighbours, in words
 */
record PairView(
    String id, String similarity, String rank, String nearness, EntryView a, EntryView b) {

  static PairView of(Finding.Pair pair, long pairs) {
    return new PairView(
        SafeText.name(pair.id()),
        Wording.similarity(pair.similarity()),
        rank(pair.rank(), pairs),
        nearness(pair.rankOfB(), pair.rankOfA()),
        EntryView.of("A", pair.a()),
        EntryView.of("B", pair.b()));
  }

  private static String rank(long rank, long pairs) {
    if (pairs == 1) {
      return "the only pair";
    }
    String closest = rank == 1 ? "closest pair of " : Wording.ordinal(rank) + " closest pair of ";
    return closest + Wording.count(pairs);
  }

  private static String nearness(int rankOfB, int rankOfA) {
    return rankOfA == 1 && rankOfB == 1
        ? "each is the other’s nearest"
        : "B is A’s " + nearest(rankOfB) + ", A is B’s " + nearest(rankOfA);
  }

  private static String nearest(int rank) {
    return rank == 1 ? "nearest" : Wording.ordinal(rank) + " nearest";
  }
}
