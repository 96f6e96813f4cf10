package dev.helixbg.insight.findings;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The most similar of the pairs that were offered, sorted by falling similarity. A given order of
 * the vectors decides between equally similar pairs.
 */
final class TopPairs {

  /** The indices of two vectors, a &lt; b, and their similarity. */
  record ScoredPair(int a, int b, float similarity) {}

  private final int max;
  private final int[] order;
  private final Comparator<ScoredPair> bestFirst;
  private final PriorityQueue<ScoredPair> worstFirst;

  /**
   * Keeps at most {@code max} pairs. {@code order} has the position of each vector in the order
   * that decides between equally similar pairs.
   */
  TopPairs(int max, int[] order) {
    this.max = max;
    this.order = order;
    this.bestFirst =
        Comparator.comparingDouble(ScoredPair::similarity)
            .reversed()
            .thenComparingLong(pair -> position(pair.a(), pair.b()));
    this.worstFirst = new PriorityQueue<>(bestFirst.reversed());
  }

  void offer(int a, int b, float similarity) {
    ScoredPair pair = new ScoredPair(a, b, similarity);
    if (worstFirst.size() < max || bestFirst.compare(pair, worstFirst.peek()) < 0) {
      worstFirst.add(pair);
      if (worstFirst.size() > max) {
        worstFirst.poll();
      }
    }
  }

  List<ScoredPair> bestFirst() {
    return worstFirst.stream().sorted(bestFirst).toList();
  }

  private long position(int a, int b) {
    long first = Math.min(order[a], order[b]);
    return first << 32 | Math.max(order[a], order[b]);
  }
}
