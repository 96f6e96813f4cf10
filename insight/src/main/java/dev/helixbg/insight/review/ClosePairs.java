package dev.helixbg.insight.review;

import dev.helixbg.insight.similarity.PairSink;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the most similar of the pairs that pass a test. */
final class ClosePairs implements PairSink {
  /** Two entries by index. */
  record Close(int a, int b, float similarity) {
    static final Comparator<Close> BEST_FIRST =
        Comparator.comparingDouble(Close::similarity)
            .reversed()
            .thenComparingInt(Close::a)
            .thenComparingInt(Close::b);
  }

  /** Which pairs count. */
  interface Test {
    boolean holds(int a, int b);
  }

  private final int max;
  private final Test test;
  private final PriorityQueue<Close> worstFirst = new PriorityQueue<>(Close.BEST_FIRST.reversed());

  ClosePairs(int max, Test test) {
    this.max = max;
    this.test = test;
  }

  @Override
  public void accept(int a, int b, float similarity) {
    if ((worstFirst.size() < max || similarity >= worstFirst.peek().similarity())
        && test.holds(a, b)) {
      worstFirst.add(new Close(a, b, similarity));
      if (worstFirst.size() > max) {
        worstFirst.poll();
      }
    }
  }

  void addAll(ClosePairs other) {
    other.worstFirst.forEach(pair -> accept(pair.a(), pair.b(), pair.similarity()));
  }

  List<Close> bestFirst() {
    return worstFirst.stream().sorted(Close.BEST_FIRST).toList();
  }
}
