package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.TopPairs.ScoredPair;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ranks of some pairs among all, and of the two entries of each among all neighbours of the
 * other one: 1 and the number of what is more similar. What is equally similar shares a rank.
 */
final class PairRanks implements PairSink {
  private final List<ScoredPair> pairs;

  /** Similarities of the pairs: distinct, rising. */
  private final float[] similarities;

  /** At i the pairs above {@code similarities[i - 1]}, but not above {@code similarities[i]}. */
  private final long[] counts;

  /** The entries that occur in the pairs, rising. */
  private final int[] entries;

  /** Of each of them the pairs it occurs in. */
  private final int[][] pairsOf;

  /** Per pair the entries closer to a than b is, and those closer to b than a is. */
  private final int[] closerToA;

  private final int[] closerToB;

  private PairRanks(List<ScoredPair> pairs, float[] similarities, int[] entries, int[][] pairsOf) {
    this.pairs = pairs;
    this.similarities = similarities;
    this.counts = new long[similarities.length + 1];
    this.entries = entries;
    this.pairsOf = pairsOf;
    this.closerToA = new int[pairs.size()];
    this.closerToB = new int[pairs.size()];
  }

  /** Goes through all pairs once more: of a large KB, hits may be too many to keep. */
  static PairRanks of(List<ScoredPair> pairs, PairSimilarities all) {
    List<Float> rising = pairs.stream().map(ScoredPair::similarity).sorted().distinct().toList();
    float[] similarities = new float[rising.size()];
    for (int i = 0; i < similarities.length; i++) {
      similarities[i] = rising.get(i);
    }
    int[] entries =
        pairs.stream().flatMapToInt(p -> IntStream.of(p.a(), p.b())).sorted().distinct().toArray();
    int[][] pairsOf =
        IntStream.of(entries).mapToObj(entry -> pairsWith(entry, pairs)).toArray(int[][]::new);
    PairRanks ranks = new PairRanks(pairs, similarities, entries, pairsOf);
    if (!pairs.isEmpty()) {
      all.atLeast(similarities[0], () -> new PairRanks(pairs, similarities, entries, pairsOf))
          .forEach(ranks::add);
    }
    return ranks;
  }

  private static int[] pairsWith(int entry, List<ScoredPair> pairs) {
    return IntStream.range(0, pairs.size())
        .filter(p -> pairs.get(p).a() == entry || pairs.get(p).b() == entry)
        .toArray();
  }

  @Override
  public void accept(int a, int b, float similarity) {
    int found = Arrays.binarySearch(similarities, similarity);
    counts[found >= 0 ? found : -found - 1]++;
    countNeighbour(a, similarity);
    countNeighbour(b, similarity);
  }

  private void countNeighbour(int entry, float similarity) {
    int row = Arrays.binarySearch(entries, entry);
    if (row >= 0) {
      for (int p : pairsOf[row]) {
        ScoredPair pair = pairs.get(p);
        if (similarity > pair.similarity()) {
          (entry == pair.a() ? closerToA : closerToB)[p]++;
        }
      }
    }
  }

  private void add(PairRanks other) {
    Arrays.setAll(counts, i -> counts[i] + other.counts[i]);
    Arrays.setAll(closerToA, p -> closerToA[p] + other.closerToA[p]);
    Arrays.setAll(closerToB, p -> closerToB[p] + other.closerToB[p]);
  }

  /** Rank of a pair among all. */
  long rank(int pair) {
    long rank = 1;
    int place = Arrays.binarySearch(similarities, pairs.get(pair).similarity());
    for (int i = place + 1; i < counts.length; i++) {
      rank += counts[i];
    }
    return rank;
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
