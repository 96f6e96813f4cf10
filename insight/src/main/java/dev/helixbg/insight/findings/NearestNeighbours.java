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
 * The nearest neighbours of each entry, nearest first; two entries are as near as the nearest of
 * their texts, their own and those of their passages. Which they are does not depend on the order
 * in which they are offered: of equally near ones those count that come first in the order of keys.
 */
final class NearestNeighbours {
  /** The k of CSLS (Conneau et al. 2018). */
  static final int LENGTH = 10;

  static final int NONE = -1;

  /** Texts that are compared by one step of a loop. */
  private static final int TEXTS_PER_STEP = 256;

  /** Any number that is much larger than that of threads. */
  private static final int LOCKS = 256;

  private final int count;
  private final int[] order;
  private final int[] others;
  private final float[] similarities;

  /** Copy of the last similarity of each list, side by side: a scan asks for every pair. */
  private final float[] least;

  private final Object[] locks = new Object[LOCKS];

  /**
   * Empty lists.
   *
   * @param order position of each entry, see {@link TopPairs}
   */
  NearestNeighbours(int[] order) {
    this.count = order.length;
    this.order = order;
    this.others = new int[Math.multiplyExact(count, LENGTH)];
    this.similarities = new float[others.length];
    this.least = new float[count];
    Arrays.fill(others, NONE);
    Arrays.fill(least, Float.NEGATIVE_INFINITY);
    Arrays.fill(similarities, Float.NEGATIVE_INFINITY);
    Arrays.setAll(locks, i -> new Object());
  }

  /** Takes in the pairs of vectors with these owners. */
  PairSink sink(int[] owners) {
    return new OwnersPairs(owners);
  }

  private final class OwnersPairs implements PairSink {
    private final int[] owners;

    OwnersPairs(int[] owners) {
      this.owners = owners;
    }

    @Override
    public void accept(int a, int b, float similarity) {
      if (owners[a] != owners[b]) {
        offer(owners[a], owners[b], similarity);
        offer(owners[b], owners[a], similarity);
      }
    }

    /** The lowest place of all; as in offer, an older one is never too high. */
    @Override
    public float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      return Math.min(lowest(firstRow, rowEnd), lowest(firstColumn, columnEnd));
    }

    private float lowest(int first, int end) {
      float lowest = Float.POSITIVE_INFINITY;
      for (int i = first; i < end; i++) {
        lowest = Math.min(lowest, least[owners[i]]);
      }
      return lowest;
    }
  }

  /**
   * The neighbours of entries by two measures of nearness.
   *
   * @param own by the texts of the entries themselves
   * @param all by those and by their passages
   */
  record Both(NearestNeighbours own, NearestNeighbours all) {
    /** Empty lists; one for both where there are no passages. */
    static Both empty(ComparedVectors texts, int[] order) {
      NearestNeighbours all = new NearestNeighbours(order);
      return new Both(texts.hasPassages() ? new NearestNeighbours(order) : all, all);
    }

    /** Takes in the pairs of vectors. */
    PairSink sink(ComparedVectors texts) {
      PairSink everything = all.sink(texts.owners());
      if (own == all) {
        return everything;
      }
      PairSink ofEntries = own.sink(texts.owners()); // an entry's own text is its own
      int entries = texts.entries();
      return new PairSink() {
        @Override
        public void accept(int a, int b, float similarity) {
          everything.accept(a, b, similarity);
          if (a < entries && b < entries) {
            ofEntries.accept(a, b, similarity);
          }
        }

        @Override
        public float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
          float limit = everything.limit(firstRow, rowEnd, firstColumn, columnEnd);
          return firstRow < entries && firstColumn < entries
              ? Math.min(limit, ofEntries.limit(firstRow, rowEnd, firstColumn, columnEnd))
              : limit;
        }
      };
    }

    /**
     * The same for a KB that has changed, see {@link NearestNeighbours#updated}.
     *
     * @param packedOwn the vectors of the entries there are now
     * @param packedAll those and the ones of their passages
     */
    Both updated(
        int[] order,
        int[] nowAt,
        ComparedVectors texts,
        PackedVectors packedOwn,
        PackedVectors packedAll,
        int threads) {
      NearestNeighbours nextAll = all.updated(order, nowAt, texts, packedAll, threads);
      return new Both(
          texts.hasPassages()
              ? own.updated(order, nowAt, texts.own(), packedOwn, threads)
              : nextAll,
          nextAll);
    }
  }

  /** Returns the nearest neighbours by terms. */
  static Both of(TermVectors terms, ComparedVectors texts, int[] order, int threads) {
    Both lists = Both.empty(texts, order);
    int[] owners = texts.owners();
    ParallelLoop.runToTheEnd(
        "relations",
        threads,
        Math.ceilDiv(terms.count(), TEXTS_PER_STEP),
        step -> {
          TermVectors.Products products = terms.products();
          int end = Math.min(terms.count(), (step + 1) * TEXTS_PER_STEP);
          for (int i = step * TEXTS_PER_STEP; i < end; i++) {
            int entry = owners[i];
            boolean own = i < texts.entries();
            products.of(
                i,
                (text, similarity) -> {
                  if (owners[text] != entry) {
                    lists.all.offer(entry, owners[text], similarity);
                    if (lists.own != lists.all && text < texts.entries() && own) {
                      lists.own.offer(entry, text, similarity);
                    }
                  }
                });
          }
        });
    return lists;
  }

  /**
   * The same lists for a KB that has changed: only new entries, and those that lost a neighbour,
   * are compared with all.
   *
   * @param order of the entries there are now
   * @param nowAt index that each entry of these lists has now; {@link #NONE} for one that is gone
   * @param texts of the entries there are now
   * @param packed all their vectors
   */
  NearestNeighbours updated(
      int[] order, int[] nowAt, ComparedVectors texts, PackedVectors packed, int threads) {
    NearestNeighbours next = new NearestNeighbours(order);
    BitSet fresh = new BitSet(order.length);
    fresh.set(0, order.length);
    BitSet sought = new BitSet(order.length);
    for (int before = 0; before < count; before++) {
      int now = nowAt[before];
      if (now != NONE) {
        fresh.clear(now);
        if (!copy(before, nowAt, next, now)) {
          sought.set(now);
        }
      }
    }
    sought.or(fresh);
    int[] compared = sought.stream().toArray();
    if (compared.length == 0) {
      return next;
    }
    int[] rows = texts.of(compared);
    int[] owners = texts.owners();
    try (PackedVectors packedRows = PackedVectors.pack(texts.vectors().select(rows))) {
      AllPairs.between(
          packedRows,
          packed,
          Float.NEGATIVE_INFINITY,
          threads,
          () ->
              (row, vector, similarity) -> {
                int entry = owners[rows[row]];
                int other = owners[vector];
                if (entry != other) {
                  next.offer(entry, other, similarity);
                  if (fresh.get(entry) && !sought.get(other)) {
                    next.offer(other, entry, similarity);
                  }
                }
              });
    }
    return next;
  }

  /** Copies one list, unless one of its entries is gone. */
  private boolean copy(int before, int[] nowAt, NearestNeighbours next, int now) {
    int from = before * LENGTH;
    boolean whole =
        IntStream.range(from, from + LENGTH)
            .allMatch(i -> others[i] == NONE || nowAt[others[i]] != NONE);
    if (whole) {
      for (int i = 0; i < LENGTH; i++) {
        int other = others[from + i];
        next.others[now * LENGTH + i] = other == NONE ? NONE : nowAt[other];
        next.similarities[now * LENGTH + i] = similarities[from + i];
      }
      next.least[now] = least[before];
    }
    return whole;
  }

  /** Takes a neighbour in if it is among the nearest; any thread may call this. */
  void offer(int entry, int other, float similarity) {
    // Without the lock this may be an older value, and so a lower one: never a wrong refusal.
    if (similarity >= least[entry]) {
      insert(entry, other, similarity);
    }
  }

  private void insert(int entry, int other, float similarity) {
    synchronized (locks[entry % LOCKS]) {
      int first = entry * LENGTH;
      int last = first + LENGTH - 1;
      int at = first;
      while (at < last && others[at] != other) {
        at++;
      }
      // Where it was, as far as another text of it is, or the place that is lost.
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

  /** Entries, each with a list. */
  int count() {
    return count;
  }

  /**
   * @param place from 0 to {@link #LENGTH} − 1
   * @return {@link #NONE} if there are no more
   */
  int neighbour(int entry, int place) {
    return others[entry * LENGTH + place];
  }

  /**
   * Place of {@code other} in the list of {@code entry}, from 0; {@link #NONE} if it is not there.
   */
  int place(int entry, int other) {
    for (int place = 0; place < LENGTH; place++) {
      if (neighbour(entry, place) == other) {
        return place;
      }
    }
    return NONE;
  }

  /** Similarity at a place; negative infinity where there are no more. */
  float similarity(int entry, int place) {
    return similarities[entry * LENGTH + place];
  }

  /** Mean similarity to the nearest; those that are missing from a list count as 0. */
  double mean(int entry) {
    double sum = 0;
    for (int i = entry * LENGTH; i < (entry + 1) * LENGTH; i++) {
      sum += others[i] == NONE ? 0 : similarities[i];
    }
    return count < 2 ? 0 : sum / Math.min(LENGTH, count - 1);
  }
}
