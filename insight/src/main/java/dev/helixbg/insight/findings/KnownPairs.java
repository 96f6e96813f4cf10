package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * What is known of the pairs of a KB, kept from one analysis to the next: an update compares new
 * entries with all, never all with all.
 *
 * <p>An entry is known by its text and its number among the entries of the same text, so that a
 * compaction, which moves every offset, changes nothing here. Each known entry has a slot; pairs
 * are kept by slots.
 */
final class KnownPairs implements PairFacts {
  /** An entry, wherever it is in the log. */
  private record Instance(String key, int ordinal) {}

  private final float floor;
  private final int maxPairs;
  private final int maxDrawn;

  private Map<Instance, Integer> slots = new HashMap<>();
  private final Deque<Integer> freeSlots = new ArrayDeque<>();
  private int usedSlots;

  /** Of the vectors in each slot: a text that was embedded anew is another entry. */
  private long[] vectorHashes = new long[0];

  /** Index of each slot in the list of entries at hand; −1 for a free one. */
  private int[] indexOf = new int[0];

  private final PairList kept = new PairList();
  private Distribution distribution;

  /** Of the entries at hand, and the slots of these. */
  private NearestLists nearest;

  private int[] slotAt = new int[0];

  /**
   * @param floor pairs at least this similar are kept
   * @param maxPairs kept at most
   * @param maxDrawn entries whose pairs make the distribution
   */
  KnownPairs(float floor, int maxPairs, int maxDrawn) {
    this.floor = floor;
    this.maxPairs = maxPairs;
    this.maxDrawn = maxDrawn;
  }

  float floor() {
    return floor;
  }

  /**
   * Brings everything up to date.
   *
   * @param vectors of the entries
   * @param packed the same vectors
   * @param counting which entries may be each other's nearest; always the same ones
   * @return false when there are more pairs than may be kept; then this must not be used again
   */
  boolean update(
      List<String> keys,
      Vectors vectors,
      PackedVectors packed,
      TextVectors texts,
      NearestLists.Counting counting,
      int threads) {
    int count = keys.size();
    int[] ordinals = EvenDraw.ordinals(keys);
    int[] slotOf = new int[count];
    BitSet stays = new BitSet(usedSlots);
    Map<Instance, Integer> next = HashMap.newHashMap(count);
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = hash(texts, i);
      Integer slot = slots.get(new Instance(keys.get(i), ordinals[i]));
      boolean known = slot != null && vectorHashes[slot] == hashes[i];
      slotOf[i] = known ? slot : -1;
      if (known) {
        stays.set(slot);
      }
    }
    forgetAllBut(stays);
    int[] keptSlotAt = IntStream.of(slotAt).map(slot -> stays.get(slot) ? slot : -1).toArray();
    int[] fresh = IntStream.range(0, count).filter(i -> slotOf[i] < 0).toArray();
    for (int i : fresh) {
      slotOf[i] = takeSlot(hashes[i]);
    }
    indexOf = new int[usedSlots];
    Arrays.fill(indexOf, -1);
    for (int i = 0; i < count; i++) {
      indexOf[slotOf[i]] = i;
      next.put(new Instance(keys.get(i), ordinals[i]), slotOf[i]);
    }
    slots = next;
    int[] nowAt =
        IntStream.of(keptSlotAt)
            .map(slot -> slot < 0 ? NearestLists.NONE : indexOf[slot])
            .toArray();
    int[] order = EvenDraw.orderByKey(keys);
    slotAt = slotOf;
    return texts.packed(
        packed,
        all -> {
          if (fresh.length == count) {
            return compareAll(keys, slotOf, vectors, texts, all, counting, threads);
          }
          nearest = nearest.updated(order, nowAt, texts, all, threads);
          distribution = SimilarityDistribution.of(keys, vectors, nearest, maxDrawn, threads);
          return compareFresh(fresh, slotOf, vectors, packed, threads);
        });
  }

  /** Of an entry's own vector and of those of its passages. */
  private static long hash(TextVectors texts, int entry) {
    long hash = hash(1, texts.vectors(), entry);
    for (int i = texts.firsts()[entry]; i < texts.firsts()[entry + 1]; i++) {
      hash = hash(hash, texts.vectors(), i);
    }
    return hash;
  }

  private static long hash(long before, Vectors vectors, int index) {
    long hash = before;
    int start = index * vectors.dimension();
    for (int k = start; k < start + vectors.dimension(); k++) {
      hash = hash * 0x5851f42d4c957f2dL + Float.floatToRawIntBits(vectors.values()[k]);
    }
    return hash;
  }

  private void forgetAllBut(BitSet stays) {
    BitSet gone = new BitSet(usedSlots);
    slots.values().forEach(gone::set);
    gone.andNot(stays);
    if (gone.isEmpty()) {
      return;
    }
    kept.removeIf((a, b) -> gone.get(a) || gone.get(b));
    gone.stream().forEach(freeSlots::add);
  }

  private int takeSlot(long hash) {
    Integer free = freeSlots.poll();
    int slot = free == null ? usedSlots++ : free;
    if (slot >= vectorHashes.length) {
      vectorHashes = Arrays.copyOf(vectorHashes, Math.max(16, 2 * slot));
    }
    vectorHashes[slot] = hash;
    return slot;
  }

  /** One pass for the pairs, for the nearest, and for the distribution if nothing is drawn. */
  private boolean compareAll(
      List<String> keys,
      int[] slotOf,
      Vectors vectors,
      TextVectors texts,
      PackedVectors all,
      NearestLists.Counting counting,
      int threads) {
    int count = texts.entries();
    NearestLists lists = new NearestLists(EvenDraw.orderByKey(keys), counting);
    float[] similarities = SimilarityDistribution.pairs(count <= maxDrawn ? count : 0);
    List<Found> found =
        AllPairs.among(
            all,
            Float.NEGATIVE_INFINITY,
            threads,
            () -> {
              PairSink nearer = lists.sink(texts.owners());
              return new Found(null, null) {
                @Override
                public void accept(int a, int b, float similarity) {
                  nearer.accept(a, b, similarity);
                  if (b < count) { // and a, which is lower
                    if (similarities.length > 0) {
                      similarities[SimilarityDistribution.at(a, b)] = similarity;
                    }
                    if (similarity >= floor) {
                      super.accept(a, b, similarity);
                    }
                  }
                }
              };
            });
    nearest = lists;
    if (!keep(found, slotOf)) {
      return false;
    }
    distribution =
        count <= maxDrawn
            ? SimilarityDistribution.of(similarities, IntStream.range(0, count).toArray(), lists)
            : SimilarityDistribution.of(keys, vectors, lists, maxDrawn, threads);
    return true;
  }

  private boolean compareFresh(
      int[] fresh, int[] slotOf, Vectors vectors, PackedVectors packed, int threads) {
    if (fresh.length == 0) {
      return true;
    }
    BitSet isFresh = new BitSet(vectors.count());
    IntStream.of(fresh).forEach(isFresh::set);
    try (PackedVectors rows = PackedVectors.pack(vectors.select(fresh))) {
      return keep(
          AllPairs.between(rows, packed, floor, threads, () -> new Found(fresh, isFresh)), slotOf);
    }
  }

  private boolean keep(List<Found> found, int[] slotOf) {
    for (Found part : found) {
      if (part.tooMany || (long) kept.count + part.pairs.count > maxPairs) {
        return false;
      }
      for (int p = 0; p < part.pairs.count; p++) {
        kept.add(
            slotOf[part.pairs.first[p]], slotOf[part.pairs.second[p]], part.pairs.similarities[p]);
      }
    }
    return true;
  }

  /** Collects the pairs of one worker, by index. */
  private class Found implements PairSink {
    private final int[] rows;
    private final BitSet isFresh;
    private final PairList pairs = new PairList();
    private boolean tooMany;

    /**
     * @param rows entries that the rows of the scan are; null for all of them, compared among
     *     themselves
     * @param isFresh the same as a set
     */
    Found(int[] rows, BitSet isFresh) {
      this.rows = rows;
      this.isFresh = isFresh;
    }

    @Override
    public void accept(int row, int other, float similarity) {
      int entry = rows == null ? row : rows[row];
      // Two new entries meet twice, once in each row.
      boolean counts = rows == null || entry < other || entry > other && !isFresh.get(other);
      if (counts && pairs.count < maxPairs) {
        pairs.add(entry, other, similarity);
      } else {
        tooMany |= counts;
      }
    }
  }

  /** Pairs of numbers with a similarity each, in no particular order. */
  private static final class PairList {
    private interface Test {
      boolean holds(int a, int b);
    }

    private int[] first = new int[16];
    private int[] second = new int[16];
    private float[] similarities = new float[16];
    private int count;

    void add(int a, int b, float similarity) {
      if (count == first.length) {
        int larger = Math.max(16, count + (count >> 1));
        first = Arrays.copyOf(first, larger);
        second = Arrays.copyOf(second, larger);
        similarities = Arrays.copyOf(similarities, larger);
      }
      first[count] = a;
      second[count] = b;
      similarities[count++] = similarity;
    }

    void removeIf(Test test) {
      int left = 0;
      for (int p = 0; p < count; p++) {
        if (!test.holds(first[p], second[p])) {
          first[left] = first[p];
          second[left] = second[p];
          similarities[left++] = similarities[p];
        }
      }
      count = left;
    }
  }

  // ---- what an analysis asks ------------------------------------------------------------------

  @Override
  public <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks) {
    if (limit < floor) {
      throw new IllegalArgumentException("pairs below %s are not kept".formatted(floor));
    }
    S sink = sinks.get();
    for (int p = 0; p < kept.count; p++) {
      if (kept.similarities[p] >= limit) {
        int a = indexOf[kept.first[p]];
        int b = indexOf[kept.second[p]];
        sink.accept(Math.min(a, b), Math.max(a, b), kept.similarities[p]);
      }
    }
    return List.of(sink);
  }

  @Override
  public NearestLists nearest() {
    return nearest;
  }

  @Override
  public Distribution distribution() {
    return distribution;
  }
}
