package dev.helixbg.embed.cache;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The vectors that a store was found to hold.
 *
 * @param byKey not copies
 * @param stored vectors in the store, repetitions and damaged ones included
 */
public record KnownVectors(Map<TextKey, float[]> byKey, int stored) {

  /** Number of known texts that decide which id a store is under. */
  private static final int ENOUGH = 64;

  /** Vectors of an empty store. */
  public static final KnownVectors NONE = new KnownVectors(new HashMap<>(), 0);

  /**
   * Returns the id under which the vectors are stored: the one by which most of the texts are
   * known. If several ids know as many texts, it is the first of them.
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

  /** The vector of a text. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
