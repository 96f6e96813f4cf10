package dev.helixbg.embed.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a cache on disk was found to hold: all of it, or nothing and the reason. */
public final class CachedVectors {

  /** How the cache was found. */
  public enum State {
    GOOD,
    /** There is no cache yet. */
    MISSING,
    /** There is one that cannot be trusted; everything is embedded again. */
    UNUSABLE
  }

  private final State state;
  private final String reason;
  private final List<CacheRow> rows;
  private final Map<TextKey, float[]> byKey;

  private CachedVectors(State state, String reason, List<CacheRow> rows) {
    this.state = state;
    this.reason = reason;
    this.rows = List.copyOf(rows);
    this.byKey = HashMap.newHashMap(rows.size());
    for (CacheRow row : rows) {
      byKey.putIfAbsent(row.key(), row.vector());
    }
  }

  static CachedVectors good(List<CacheRow> rows) {
    return new CachedVectors(State.GOOD, "", rows);
  }

  static CachedVectors missing() {
    return new CachedVectors(State.MISSING, "there is no cache yet", List.of());
  }

  static CachedVectors unusable(String reason) {
    return new CachedVectors(State.UNUSABLE, reason, List.of());
  }

  public State state() {
    return state;
  }

  /** Why nothing was found, for people; empty when the state is GOOD. */
  public String reason() {
    return reason;
  }

  /** All rows, sorted by offset. */
  public List<CacheRow> rows() {
    return rows;
  }

  /** The vector of a text, whatever the offset it was stored for; not a copy. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
