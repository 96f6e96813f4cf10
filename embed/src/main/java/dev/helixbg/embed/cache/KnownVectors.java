package dev.helixbg.embed.cache;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The vectors that were read from a store.
 *
 * @param byKey the vectors by the keys of their texts; shared, not copied
 * @param stored number of vectors in the store, including repeated and damaged vectors
 */
public record KnownVectors(Map<TextKey, float[]> byKey, int stored) {

  /** Number of texts with a vector after which {@link #id} stops counting. */
  private static final int ENOUGH = 64;

  /**
   * Returns the id (see {@link VectorIds}) under which the most texts have a vector. If several ids
   * have equally many texts, returns the first of these ids.
   */
  public String id(List<String> ids, Stream<String> texts) {
    if (ids.size() == 1 || byKey.isEmpty()) {
      return ids.getFirst();
    }
    Map<String, Long> known =
        texts
            .flatMap(
                text -> ids.stream().filter(id -> byKey.containsKey(TextKey.of(id, text))).limit(1))
            .limit(ENOUGH)
            .collect(Collectors.groupingBy(id -> id, Collectors.counting()));
    return ids.stream()
        .max(Comparator.comparingLong(id -> known.getOrDefault(id, 0L)))
        .orElseThrow();
  }

  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
