package dev.helixbg.insight.findings;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.terms.TermVectors;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * The nearest neighbours of each entry, nearest first. The nearness of two entries is the highest
 * similarity of a text of one entry to a text of the other entry. A text is a whole entry or a
 * passage. Equally near neighbours are ordered by key, not by the order in which they are offered.
 */
public final class NearestNeighbours {
  /** Maximum length of each list. It is the k of the measure CSLS (Conneau et al. 2018). */
  static final int LENGTH = 10;

  static final int NONE = -1;

  /** Number of texts in one step of a parallel loop. */
  private static final int TEXTS_PER_STEP = 256;

  /** Number of locks: much larger than the number of threads, so that threads rarely wait. */
  private static final int LOCKS = 256;

  private final int count;
  private final int length;
  private final int[] order;
  private final int[] others;
  private final float[] similarities;

  /** Similarity of the last neighbour in each list. A scan of all pairs reads it for every pair. */
  private final float[] least;

  private final Object[] locks = new Object[LOCKS];

  /**
   * Makes an empty list of at most {@code length} neighbours for each entry. {@code order} has the
   * position of each entry in the order that decides between equally near neighbours.
   */
  public NearestNeighbours(int[] order, int length) {
    this.count = order.length;
    this.length = length;
    this.order = order;
    this.others = new int[Math.multiplyExact(count, length)];
    this.similarities = new float[others.length];
    this.least = new float[count];
    Arrays.fill(others, NONE);
    Arrays.fill(least, Float.NEGATIVE_INFINITY);
    Arrays.fill(similarities, Float.NEGATIVE_INFINITY);
    Arrays.setAll(locks, i -> new Object());
  }

  /**
   * Two sets of neighbour lists. Neighbours in {@code own} are found by comparing whole entries
   * only. Neighbours in {@code all} are found by comparing whole entries and passages.
   */
  record Both(NearestNeighbours own, NearestNeighbours all, ComparedVectors texts)
      implements PairSink {
    /** Makes empty lists; without passages, {@code own} and {@code all} are the same lists. */
    static Both empty(ComparedVectors texts, int[] order) {
      NearestNeighbours all = new NearestNeighbours(order, LENGTH);
      return new Both(texts.hasPassages() ? new NearestNeighbours(order, LENGTH) : all, all, texts);
    }

    boolean areOne() {
      return own == all;
    }

    /**
     * Offers the entry that owns text number {@code other} as a neighbour to the entry that owns
     * text number {@code text}.
     */
    private void offer(int text, int other, float similarity) {
      int entry = texts.owners()[text];
      int neighbour = texts.owners()[other];
      if (entry != neighbour) {
        all.offer(entry, neighbour, similarity);
        if (own != all && text < texts.entries() && other < texts.entries()) {
          own.offer(entry, neighbour, similarity);
        }
      }
    }

    @Override
    public void accept(int a, int b, float similarity) {
      offer(a, b, similarity);
      offer(b, a, similarity);
    }

    @Override
    public float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      boolean areEntries = firstRow < texts.entries() && firstColumn < texts.entries();
      // A similarity in "own" is never higher than the same neighbour's similarity in "all".
      NearestNeighbours lower = areEntries ? own : all;
      return Math.min(lowest(lower, firstRow, rowEnd), lowest(lower, firstColumn, columnEnd));
    }

    /**
     * Returns the lowest value of {@link #least} for a range of texts. The values are read without
     * locks, so the result may be too low, but never too high.
     */
    private float lowest(NearestNeighbours lists, int first, int end) {
      float lowest = Float.POSITIVE_INFINITY;
      for (int i = first; i < end; i++) {
        lowest = Math.min(lowest, lists.least[texts.owners()[i]]);
      }
      return lowest;
    }

    /** Returns the nearest neighbours of each entry, found by comparing terms. */
    static Both of(TermVectors terms, ComparedVectors texts, int[] order, int threads) {
      Both lists = empty(texts, order);
      ParallelLoop.runToTheEnd(
          "relations",
          threads,
          Math.ceilDiv(terms.count(), TEXTS_PER_STEP),
          step -> {
            TermVectors.Products products = terms.products();
            int end = Math.min(terms.count(), (step + 1) * TEXTS_PER_STEP);
            for (int i = step * TEXTS_PER_STEP; i < end; i++) {
              int text = i;
              products.of(i, (other, similarity) -> lists.offer(text, other, similarity));
            }
          });
      return lists;
    }

    /**
     * Returns the lists for a changed KB. Only new entries, and entries that lost a neighbour, are
     * compared with all entries.
     *
     * @param nowAt present index of each entry of these lists; {@link #NONE} for a removed entry
     */
    Both updated(int[] order, int[] nowAt, ComparedVectors now, PackedVectors packed, int threads) {
      Both next = empty(now, order);
      BitSet fresh = new BitSet(order.length);
      fresh.set(0, order.length);
      BitSet sought = new BitSet(order.length);
      for (int before = 0; before < nowAt.length; before++) {
        if (nowAt[before] != NONE) {
          fresh.clear(nowAt[before]);
          if (all.isWhole(before, nowAt) && own.isWhole(before, nowAt)) {
            all.copy(before, nowAt, next.all);
            own.copy(before, nowAt, next.own);
          } else {
            sought.set(nowAt[before]);
          }
        }
      }
      sought.or(fresh);
      if (sought.isEmpty()) {
        return next;
      }
      int[] rows = now.of(sought.stream().toArray());
      PairSink sink =
          (row, text, similarity) -> {
            next.offer(rows[row], text, similarity);
            int entry = now.owners()[rows[row]];
            if (fresh.get(entry) && !sought.get(now.owners()[text])) {
              next.offer(text, rows[row], similarity);
            }
          };
      try (PackedVectors packedRows = PackedVectors.pack(now.vectors().select(rows))) {
        AllPairs.between(packedRows, packed, Float.NEGATIVE_INFINITY, threads, sink);
      }
      return next;
    }
  }

  private boolean isWhole(int entry, int[] nowAt) {
    return IntStream.range(entry * length, (entry + 1) * length)
        .allMatch(i -> others[i] == NONE || nowAt[others[i]] != NONE);
  }

  private void copy(int entry, int[] nowAt, NearestNeighbours next) {
    int now = nowAt[entry];
    for (int i = 0; i < length; i++) {
      int other = others[entry * length + i];
      next.others[now * length + i] = other == NONE ? NONE : nowAt[other];
      next.similarities[now * length + i] = similarities[entry * length + i];
    }
    next.least[now] = least[entry];
  }

  /** Adds a neighbour to an entry's list if it is near enough. Any thread may call this method. */
  public void offer(int entry, int other, float similarity) {
    // Without the lock this value may be outdated. An outdated value is too low, so no neighbour is
    // refused wrongly.
    if (similarity >= least[entry]) {
      insert(entry, other, similarity);
    }
  }

  private void insert(int entry, int other, float similarity) {
    synchronized (locks[entry % LOCKS]) {
      int first = entry * length;
      int last = first + length - 1;
      int at = first;
      while (at < last && others[at] != other) {
        at++;
      }
      // Now {@code at} is the place of {@code other} if the list contains it, else the last place.
      if (!isNearer(other, similarity, at)) {
        return;
      }
      for (; at > first && isNearer(other, similarity, at - 1); at--) {
        others[at] = others[at - 1];
        similarities[at] = similarities[at - 1];
      }
      others[at] = other;
      similarities[at] = similarity;
      least[entry] = similarities[last];
    }
  }

  private boolean isNearer(int other, float similarity, int than) {
    return similarity > similarities[than]
        || similarity == similarities[than] && order[other] < order[others[than]];
  }

  /**
   * Returns the neighbour at a place in the list of {@code entry}. Places are counted from 0.
   * Returns {@link #NONE} if the list is shorter.
   */
  public int neighbour(int entry, int place) {
    return others[entry * length + place];
  }

  /** Returns the place of {@code other} in the list of {@code entry}, from 0; or {@link #NONE}. */
  int place(int entry, int other) {
    for (int place = 0; place < length; place++) {
      if (neighbour(entry, place) == other) {
        return place;
      }
    }
    return NONE;
  }

  /**
   * Returns the similarity of {@code entry} to the neighbour at a place in its list; negative
   * infinity if the list is shorter.
   */
  public float similarity(int entry, int place) {
    return similarities[entry * length + place];
  }

  /** Returns an entry's mean similarity to its neighbours; missing neighbours count as 0. */
  public double mean(int entry) {
    double sum = 0;
    for (int i = entry * length; i < (entry + 1) * length; i++) {
      sum += others[i] == NONE ? 0 : similarities[i];
    }
    return count < 2 ? 0 : sum / Math.min(length, count - 1);
  }
}
