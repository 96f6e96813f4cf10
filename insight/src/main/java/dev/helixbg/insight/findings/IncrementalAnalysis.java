package dev.helixbg.insight.findings;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The analysis of a KB that changes: each update finds what {@link Analysis#run} would find, bit by
 * bit, but compares only new entries with all. One thread at a time.
 *
 * <p>An entry is known by its text and its number among the entries of the same text, so that a
 * compaction, which moves every offset, changes nothing here.
 */
public final class IncrementalAnalysis {
  /** An entry, wherever it is in the log. */
  private record Instance(String key, int ordinal) {}

  /** Index of each entry in the list of the last update, by which all below is kept. */
  private Map<Instance, Integer> indexOf = Map.of();

  /** Hashes of the entries' vectors: a text that was embedded anew is another entry. */
  private long[] vectorHashes = new long[0];

  private NearestNeighbours.Both nearest;

  /**
   * Finds what is worth telling now.
   *
   * @see Analysis#run(List, Vectors, PassageVectors, InsightSettings, int) for the parameters and
   *     errors
   */
  public Findings update(
      List<NamedEntry> entries,
      Vectors vectors,
      PassageVectors passages,
      InsightSettings settings,
      int threads) {
    Analysis.check(entries, vectors);
    List<String> keys = Analysis.keys(entries);
    ComparedVectors texts = ComparedVectors.of(vectors, passages);
    try (PackedVectors packed = PackedVectors.pack(vectors)) {
      update(keys, packed, texts, threads);
      List<NamedEntry> shown = SecretCheck.masked(entries);
      return new Analysis(shown, vectors, packed, texts, nearest, settings, threads).findings();
    } catch (RuntimeException | Error e) {
      forget(); // a failure must not leave half of it
      throw e;
    }
  }

  /** Forgets everything; the next update compares all with all. */
  public void forget() {
    indexOf = Map.of();
    vectorHashes = new long[0];
    nearest = null;
  }

  /** Brings the nearest neighbours up to date. */
  private void update(List<String> keys, PackedVectors packed, ComparedVectors texts, int threads) {
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
            nearest = compareAll(keys, texts, all, threads);
          } else {
            nearest =
                nearest.updated(Analysis.orderByKey(keys), nowAt, texts, packed, all, threads);
          }
        });
  }

  /** Returns the hash of an entry's own vector and of the vectors of its passages. */
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

  private static NearestNeighbours.Both compareAll(
      List<String> keys, ComparedVectors texts, PackedVectors all, int threads) {
    NearestNeighbours.Both lists = NearestNeighbours.Both.empty(texts, Analysis.orderByKey(keys));
    AllPairs.among(all, Float.NEGATIVE_INFINITY, threads, () -> lists.sink(texts));
    return lists;
  }
}
