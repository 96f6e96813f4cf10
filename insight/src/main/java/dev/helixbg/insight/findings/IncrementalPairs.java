package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.Findings.Distribution;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What is known of the pairs of a KB, kept from one analysis to the next: an update compares new
 * entries with all, never all with all.
 *
 * <p>An entry is known by its text and its number among the entries of the same text, so that a
 * compaction, which moves every offset, changes nothing here.
 */
final class IncrementalPairs {
  /** An entry, wherever it is in the log. */
  private record Instance(String key, int ordinal) {}

  private final int maxDrawn;

  /** Index of each entry in the list of the last update, by which all below is kept. */
  private Map<Instance, Integer> indexOf = Map.of();

  /** Of the entries' vectors: a text that was embedded anew is another entry. */
  private long[] vectorHashes = new long[0];

  private NearestNeighbours.Both nearest;
  private Distribution distribution;

  /**
   * @param maxDrawn entries whose pairs make the distribution
   */
  IncrementalPairs(int maxDrawn) {
    this.maxDrawn = maxDrawn;
  }

  /**
   * Brings everything up to date.
   *
   * @param vectors of the entries
   * @param packed the same vectors
   */
  void update(
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
    texts.packed(
        packed,
        all -> {
          if (fresh.cardinality() == count) {
            compareAll(keys, vectors, texts, all, threads);
          } else {
            nearest =
                nearest.updated(EvenSample.orderByKey(keys), nowAt, texts, packed, all, threads);
            distribution =
                SimilarityDistribution.of(keys, vectors, nearest.all(), maxDrawn, threads);
          }
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

  /** One pass for the nearest, and for the distribution if nothing is drawn. */
  private void compareAll(
      List<String> keys, Vectors vectors, ComparedVectors texts, PackedVectors all, int threads) {
    int count = texts.entries();
    NearestNeighbours.Both lists = NearestNeighbours.Both.empty(texts, EvenSample.orderByKey(keys));
    float[] similarities = SimilarityDistribution.pairs(count <= maxDrawn ? count : 0);
    AllPairs.among(
        all,
        Float.NEGATIVE_INFINITY,
        threads,
        () -> new EveryPair(lists.sink(texts), count, similarities));
    nearest = lists;
    distribution =
        count <= maxDrawn
            ? SimilarityDistribution.of(
                similarities, IntStream.range(0, count).toArray(), lists.all())
            : SimilarityDistribution.of(keys, vectors, lists.all(), maxDrawn, threads);
  }

  /**
   * Takes in all pairs of texts.
   *
   * @param entries which come first
   * @param similarities of all pairs of entries; empty where nobody wants them
   */
  private record EveryPair(PairSink nearer, int entries, float[] similarities) implements PairSink {
    @Override
    public void accept(int a, int b, float similarity) {
      nearer.accept(a, b, similarity);
      if (b < entries && similarities.length > 0) { // and a, which is lower
        similarities[SimilarityDistribution.at(a, b)] = similarity;
      }
    }

    @Override
    public float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      return similarities.length > 0
          ? Float.NEGATIVE_INFINITY
          : nearer.limit(firstRow, rowEnd, firstColumn, columnEnd);
    }
  }

  /** The nearest neighbours of each entry by vectors. */
  NearestNeighbours.Both nearest() {
    return nearest;
  }

  Distribution distribution() {
    return distribution;
  }
}
