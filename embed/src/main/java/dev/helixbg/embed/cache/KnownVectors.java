package dev.helixbg.embed.cache;

import java.util.Map;
import java.util.Optional;

/**
 * The vectors that a store was found to hold.
 *
 * @param byKey not copies
 * @param stored vectors in the store, repetitions and damaged ones included
 */
public record KnownVectors(Map<TextKey, float[]> byKey, int stored) {

  /** The vector of a text. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
