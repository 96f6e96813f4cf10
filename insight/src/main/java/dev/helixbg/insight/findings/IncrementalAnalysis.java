package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The analysis of a KB that changes. An update compares only new entries with all entries, but its
 * result is bit-identical to the result of {@link Analysis#run}. Entries are identified by their
 * texts, so an entry is not new after helix has compacted the log. Only one thread at a time may
 * use an object of this class.
 */
public final class IncrementalAnalysis {
  /** An entry's key, its number among entries with the same text, and the hash of its vectors. */
  private record Instance(String key, int ordinal, int hash) {}

  /** Index of each entry in the list that the last update received. */
  private Map<Instance, Integer> indexOf = Map.of();

  private NearestNeighbours.Both nearest;

  /** Returns the findings on the present entries, see {@link Analysis#run}. */
  public Findings update(
      List<NamedEntry> entries, Vectors vectors, PassageVectors passages, int threads) {
    List<String> keys = entries.stream().map(NamedEntry::key).toList();
    int[] order = Analysis.orderByKey(keys);
    ComparedVectors texts = ComparedVectors.of(vectors, passages, ComparedVectors.MAX_PASSAGES);
    try (PackedVectors packed = PackedVectors.pack(texts.vectors())) {
      update(keys, order, packed, texts, threads);
      List<NamedEntry> shown = entries.stream().map(SecretCheck::masked).toList();
      return new Analysis(shown, vectors).findings(texts, nearest, order, threads);
    } catch (RuntimeException | Error e) {
      forget(); // a failed update is incomplete
      throw e;
    }
  }

  /** Forgets all entries; the next update compares all entries with each other. */
  public void forget() {
    indexOf = Map.of();
    nearest = null;
  }

  /** Updates the nearest neighbours. {@code packed} has the vectors of {@code texts}. */
  private void update(
      List<String> keys, int[] order, PackedVectors packed, ComparedVectors texts, int threads) {
    int[] ordinals = NamedEntry.ordinals(keys);
    Map<Instance, Integer> now = HashMap.newHashMap(keys.size());
    int[] nowAt = new int[indexOf.size()];
    Arrays.fill(nowAt, NearestNeighbours.NONE);
    for (int i = 0; i < ordinals.length; i++) {
      Instance instance = new Instance(keys.get(i), ordinals[i], hash(texts, i));
      Integer before = indexOf.get(instance);
      if (before != null) {
        nowAt[before] = i;
      }
      now.put(instance, i);
    }
    indexOf = now;
    if (IntStream.of(nowAt).allMatch(i -> i == NearestNeighbours.NONE)) {
      nearest = NearestNeighbours.Both.empty(texts, order);
      AllPairs.among(packed, Float.NEGATIVE_INFINITY, threads, nearest);
    } else {
      nearest = nearest.updated(order, nowAt, texts, packed, threads);
    }
  }

  private static int hash(ComparedVectors texts, int entry) {
    int hash = Arrays.hashCode(texts.vectors().row(entry));
    for (int i = texts.firsts()[entry]; i < texts.firsts()[entry + 1]; i++) {
      hash = 31 * hash + Arrays.hashCode(texts.vectors().row(i));
    }
    return hash;
  }
}
