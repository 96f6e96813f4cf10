package dev.helixbg.insight.findings;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Draws entries evenly, by what they say: those with the smallest hashes of key and number among
 * the entries of that key. So a draw hardly changes when entries come and go, each entry and each
 * pair is as likely as any other, and the same entries always give the same draw.
 */
final class EvenSample {
  private EvenSample() {}

  /** Position of each entry by key, then by its place in the list. */
  static int[] orderByKey(List<String> keys) {
    int[] order = new int[keys.size()];
    List<Integer> sorted =
        IntStream.range(0, order.length).boxed().sorted(Comparator.comparing(keys::get)).toList();
    for (int position = 0; position < order.length; position++) {
      order[sorted.get(position)] = position;
    }
    return order;
  }

  /**
   * @param keys of all entries, 32 hex digits each
   * @param ordinals as {@link NamedEntry#ordinals} gives them
   * @return rising indices, {@code max} of them or all
   */
  static int[] of(List<String> keys, int[] ordinals, int max) {
    int count = keys.size();
    if (count <= max) {
      return IntStream.range(0, count).toArray();
    }
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = hash(Long.parseUnsignedLong(keys.get(i), 0, 16, 16), ordinals[i]);
    }
    Comparator<Integer> byHash = (a, b) -> Long.compareUnsigned(hashes[a], hashes[b]);
    return IntStream.range(0, count)
        .boxed()
        .sorted(byHash.thenComparing(keys::get).thenComparing(i -> ordinals[i]))
        .limit(max)
        .mapToInt(i -> i)
        .sorted()
        .toArray();
  }

  /** The finaliser of SplitMix64 (Steele, Lea, Flood 2014), seeded by both. */
  private static long hash(long key, int ordinal) {
    long z = key + ordinal * 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
