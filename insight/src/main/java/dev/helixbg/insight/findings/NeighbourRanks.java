package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.BestPairs.ScoredPair;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * For both entries of a pair, the rank of the other one among all its neighbours: 1 and the number
 * of entries that are closer. Equally close neighbours share a rank.
 */
final class NeighbourRanks implements PairSink {
  private final List<ScoredPair> pairs;

  /** The entries that occur in the pairs, rising: the rows of the scan. */
  private final int[] entries;

  /** Per row the pairs it occurs in. */
  private final int[][] pairsOf;

  /** Per pair the entries closer to a than b is, and those closer to b than a is. */
  private final int[] closerToA;

  private final int[] closerToB;

  private NeighbourRanks(List<ScoredPair> pairs, int[] entries, int[][] pairsOf) {
    this.pairs = pairs;
    this.entries = entries;
    this.pairsOf = pairsOf;
    this.closerToA = new int[pairs.size()];
    this.closerToB = new int[pairs.size()];
  }

  /** Without any counts. */
  private static NeighbourRanks of(List<ScoredPair> pairs) {
    int[] entries =
        pairs.stream().flatMapToInt(p -> IntStream.of(p.a(), p.b())).sorted().distinct().toArray();
    int[][] pairsOf =
        IntStream.of(entries).mapToObj(entry -> pairsWith(entry, pairs)).toArray(int[][]::new);
    return new NeighbourRanks(pairs, entries, pairsOf);
  }

  private float lowest() {
    return (float) pairs.stream().mapToDouble(ScoredPair::similarity).min().orElse(Float.MAX_VALUE);
  }

  /**
   * Counts in what is known already.
   *
   * @param known all pairs that are as similar as one of {@code pairs}, at least
   */
  static NeighbourRanks of(List<ScoredPair> pairs, PairSource known) {
    NeighbourRanks all = of(pairs);
    if (!pairs.isEmpty()) {
      known.atLeast(
          all.lowest(),
          () ->
              (a, b, similarity) -> {
                all.count(a, b, similarity);
                all.count(b, a, similarity);
              });
    }
    return all;
  }

  private void count(int entry, int other, float similarity) {
    int row = Arrays.binarySearch(entries, entry);
    if (row >= 0) {
      accept(row, other, similarity);
    }
  }

  /** Compares the entries of the pairs with all. */
  static NeighbourRanks of(
      List<ScoredPair> pairs, Vectors vectors, PackedVectors panels, int threads) {
    NeighbourRanks all = of(pairs);
    int[] entries = all.entries;
    int[][] pairsOf = all.pairsOf;
    float lowest = all.lowest();
    try (PackedVectors rows = PackedVectors.pack(vectors.select(entries))) {
      AllPairs.between(
              rows, panels, lowest, threads, () -> new NeighbourRanks(pairs, entries, pairsOf))
          .forEach(all::add);
    }
    return all;
  }

  private static int[] pairsWith(int entry, List<ScoredPair> pairs) {
    return IntStream.range(0, pairs.size())
        .filter(p -> pairs.get(p).a() == entry || pairs.get(p).b() == entry)
        .toArray();
  }

  @Override
  public void accept(int row, int other, float similarity) {
    int entry = entries[row];
    if (entry == other) {
      return;
    }
    for (int p : pairsOf[row]) {
      ScoredPair pair = pairs.get(p);
      if (similarity > pair.similarity()) {
        (entry == pair.a() ? closerToA : closerToB)[p]++;
      }
    }
  }

  private void add(NeighbourRanks other) {
    Arrays.setAll(closerToA, p -> closerToA[p] + other.closerToA[p]);
    Arrays.setAll(closerToB, p -> closerToB[p] + other.closerToB[p]);
  }

  /** Rank of b among the neighbours of a. */
  int rankOfB(int pair) {
    return 1 + closerToA[pair];
  }

  /** Rank of a among the neighbours of b. */
  int rankOfA(int pair) {
    return 1 + closerToB[pair];
  }
}
