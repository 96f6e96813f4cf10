package dev.helixbg.embed.cache;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The vectors that were read from a store.
 *
 * @param byKey the vectors by text; shared, not copied
 * @param stored number of vectors in the store, including repeated and damaged vectors
 */
public record KnownVectors(Map<TextKey, float[]> byKey, int stored) {

  /** Number of known texts after which the search for a store's id ends. */
  private static final int ENOUGH = 64;

  /** Vectors of an empty store. */
  public static final KnownVectors NONE = new KnownVectors(new HashMap<>(), 0);

  /**
   * Returns the id under which the vectors are stored: the id with the most vectors for the texts.
   * If several ids have equally many, the first of these is returned.
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

  /** Returns the vector of a text; empty if the text is not known. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
