package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
 * compaction, which moves every offset, changes nothing here.
 */
final class IncrementalPairs implements PairSimilarities {
  /** An entry, wherever it is in the log. */
  private record Instance(String key, int ordinal) {}

  private final float floor;
  private final int maxPairs;
  private final int maxDrawn;

  /** Index of each entry in the list of the last update, by which all below is kept. */
  private Map<Instance, Integer> indexOf = Map.of();

  /** Of the entries' vectors: a text that was embedded anew is another entry. */
  private long[] vectorHashes = new long[0];

  private final PairList kept;
  private NearestNeighbours.Both nearest;
  private Distribution distribution;

  /**
   * @param floor pairs at least this similar are kept
   * @param maxPairs kept at most
   * @param maxDrawn entries whose pairs make the distribution
   */
  IncrementalPairs(float floor, int maxPairs, int maxDrawn) {
    this.floor = floor;
    this.maxPairs = maxPairs;
    this.maxDrawn = maxDrawn;
    this.kept = new PairList(maxPairs);
  }

  float floor() {
    return floor;
  }

  /**
   * Brings everything up to date.
   *
   * @param vectors of the entries
   * @param packed the same vectors
   * @return false when there are more pairs than may be kept; then this must not be used again
   */
  boolean update(
      List<String> keys,
      Vectors vectors,
      PackedVectors packed,
      ComparedVectors texts,
      int threads) {
    int count = keys.size();
    int[] ordinals = NamedEntry.ordinals(keys);
    Map<Instance, Integer> now = HashMap.newHashMap(count);
    long[] hashes = new long[count];
    int[] nowAt = new int[vectorHashes.length];
    Arrays.fill(nowAt, NearestNeighbours.NONE);
    BitSet fresh = new BitSet(count);
    for (int i = 0; i < count; i++) {
      Instance instance = new Instance(keys.get(i), ordinals[i]);
      Integer before = indexOf.get(instance);
      hashes[i] = hash(texts, i);
      if (before != null && vectorHashes[before] == hashes[i]) {
        nowAt[before] = i;
      } else {
        fresh.set(i);
      }
      now.put(instance, i);
    }
    indexOf = now;
    vectorHashes = hashes;
    kept.move(nowAt);
    return texts.packed(
        packed,
        all -> {
          if (fresh.cardinality() == count) {
            return compareAll(keys, vectors, texts, all, threads);
          }
          nearest =
              nearest.updated(EvenSample.orderByKey(keys), nowAt, texts, packed, all, threads);
          distribution = SimilarityDistribution.of(keys, vectors, nearest.all(), maxDrawn, threads);
          return compareFresh(fresh, vectors, packed, threads);
        });
  }

  /** Of an entry's own vector and of those of its passages. */
  private static long hash(ComparedVectors texts, int entry) {
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

  /** One pass for the pairs, for the nearest, and for the distribution if nothing is drawn. */
  private boolean compareAll(
      List<String> keys, Vectors vectors, ComparedVectors texts, PackedVectors all, int threads) {
    int count = texts.entries();
    NearestNeighbours.Both lists = NearestNeighbours.Both.empty(texts, EvenSample.orderByKey(keys));
    float[] similarities = SimilarityDistribution.pairs(count <= maxDrawn ? count : 0);
    List<PairList> found = new ArrayList<>();
    AllPairs.among(
        all,
        Float.NEGATIVE_INFINITY,
        threads,
        () -> {
          PairSink nearer = lists.sink(texts);
          PairList near = new PairList(maxPairs);
          found.add(near);
          return new EveryPair(nearer, near, floor, count, similarities);
        });
    nearest = lists;
    if (!keep(found)) {
      return false;
    }
    distribution =
        count <= maxDrawn
            ? SimilarityDistribution.of(
                similarities, IntStream.range(0, count).toArray(), lists.all())
            : SimilarityDistribution.of(keys, vectors, lists.all(), maxDrawn, threads);
    return true;
  }

  /**
   * Takes in all pairs of texts.
   *
   * @param near those of entries at least as similar as {@code floor}
   * @param entries which come first
   * @param similarities of all pairs of entries; empty where nobody wants them
   */
  private record EveryPair(
      PairSink nearer, PairList near, float floor, int entries, float[] similarities)
      implements PairSink {
    @Override
    public void accept(int a, int b, float similarity) {
      nearer.accept(a, b, similarity);
      if (b < entries) { // and a, which is lower
        if (similarities.length > 0) {
          similarities[SimilarityDistribution.at(a, b)] = similarity;
        }
        if (similarity >= floor) {
          near.add(a, b, similarity);
        }
      }
    }

    @Override
    public float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      return similarities.length > 0
          ? Float.NEGATIVE_INFINITY
          : Math.min(floor, nearer.limit(firstRow, rowEnd, firstColumn, columnEnd));
    }
  }

  private boolean compareFresh(BitSet isFresh, Vectors vectors, PackedVectors packed, int threads) {
    if (isFresh.isEmpty()) {
      return true;
    }
    int[] fresh = isFresh.stream().toArray();
    List<PairList> found = new ArrayList<>();
    try (PackedVectors rows = PackedVectors.pack(vectors.select(fresh))) {
      AllPairs.between(
          rows,
          packed,
          floor,
          threads,
          () -> {
            PairList near = new PairList(maxPairs);
            found.add(near);
            return (row, other, similarity) -> {
              int entry = fresh[row];
              // Two new entries meet twice, once in each row.
              if (entry < other || entry > other && !isFresh.get(other)) {
                near.add(entry, other, similarity);
              }
            };
          });
    }
    return keep(found);
  }

  /** Of each worker its pairs. */
  private boolean keep(List<PairList> found) {
    for (PairList part : found) {
      if (part.isOver || (long) kept.count + part.count > maxPairs) {
        return false;
      }
      for (int p = 0; p < part.count; p++) {
        kept.add(part.first[p], part.second[p], part.similarities[p]);
      }
    }
    return true;
  }

  /** Pairs of numbers with a similarity each, in no particular order. */
  private static final class PairList {
    private int[] first = new int[16];
    private int[] second = new int[16];
    private float[] similarities = new float[16];
    private final int most;
    private int count;

    /** Whether there were more than it may hold. */
    private boolean isOver;

    PairList(int most) {
      this.most = most;
    }

    void add(int a, int b, float similarity) {
      if (count == most) {
        isOver = true;
        return;
      }
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

    /** Renumbers all; pairs of what is gone go, too. */
    void move(int[] nowAt) {
      int left = 0;
      for (int p = 0; p < count; p++) {
        int a = nowAt[first[p]];
        int b = nowAt[second[p]];
        if (a != NearestNeighbours.NONE && b != NearestNeighbours.NONE) {
          first[left] = a;
          second[left] = b;
          similarities[left++] = similarities[p];
        }
      }
      count = left;
    }
  }

  @Override
  public <S extends PairSink> List<S> atLeast(float limit, Supplier<S> sinks) {
    if (limit < floor) {
      throw new IllegalArgumentException("pairs below %s are not kept".formatted(floor));
    }
    S sink = sinks.get();
    for (int p = 0; p < kept.count; p++) {
      if (kept.similarities[p] >= limit) {
        int a = kept.first[p];
        int b = kept.second[p];
        sink.accept(Math.min(a, b), Math.max(a, b), kept.similarities[p]);
      }
    }
    return List.of(sink);
  }

  @Override
  public NearestNeighbours.Both nearest() {
    return nearest;
  }

  @Override
  public Distribution distribution() {
    return distribution;
  }
}
