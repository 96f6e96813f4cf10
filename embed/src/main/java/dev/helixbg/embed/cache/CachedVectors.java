package dev.helixbg.embed.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a cache on disk was found to hold: all of {@code embeddings.bin}, or nothing and the reason;
 * and what the journal holds beside it.
 *
 * @param reason why {@code embeddings.bin} gave nothing, for people; empty when the state is GOOD
 * @param rows of {@code embeddings.bin}, sorted by offset
 * @param byKey the vectors of both, whatever the offset they were stored for; not copies
 */
public record CachedVectors(
    State state, String reason, List<CacheRow> rows, Journal journal, Map<TextKey, float[]> byKey) {

  /** How {@code embeddings.bin} was found. */
  public enum State {
    GOOD,
    /** There is none yet. */
    MISSING,
    /** There is one that cannot be trusted; everything in it is embedded again. */
    UNUSABLE
  }

  static CachedVectors of(State state, String reason, List<CacheRow> rows, Journal journal) {
    Map<TextKey, float[]> byKey = HashMap.newHashMap(rows.size() + journal.vectors().size());
    rows.forEach(row -> byKey.putIfAbsent(row.key(), row.vector()));
    journal.vectors().forEach(byKey::putIfAbsent);
    return new CachedVectors(state, reason, rows, journal, byKey);
  }

  /** The vector of a text. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
