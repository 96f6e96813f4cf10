package dev.helixbg.embed.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a cache on disk was found to hold: all of {@code embeddings.bin}, or nothing and the reason;
 * and what the journal holds beside it.
 */
public final class CachedVectors {

  /** How {@code embeddings.bin} was found. */
  public enum State {
    GOOD,
    /** There is none yet. */
    MISSING,
    /** There is one that cannot be trusted; everything in it is embedded again. */
    UNUSABLE
  }

  private final State state;
  private final String reason;
  private final List<CacheRow> rows;
  private final Journal journal;
  private final Map<TextKey, float[]> byKey;

  CachedVectors(State state, String reason, List<CacheRow> rows, Journal journal) {
    this.state = state;
    this.reason = reason;
    this.rows = List.copyOf(rows);
    this.journal = journal;
    this.byKey = HashMap.newHashMap(rows.size() + journal.vectors().size());
    for (CacheRow row : rows) {
      byKey.putIfAbsent(row.key(), row.vector());
    }
    journal.vectors().forEach(byKey::putIfAbsent);
  }

  public State state() {
    return state;
  }

  /** Why {@code embeddings.bin} gave nothing, for people; empty when the state is GOOD. */
  public String reason() {
    return reason;
  }

  /** All rows of {@code embeddings.bin}, sorted by offset. */
  public List<CacheRow> rows() {
    return rows;
  }

  public Journal journal() {
    return journal;
  }

  /** The vector of a text, whatever the offset it was stored for; not a copy. */
  public Optional<float[]> vector(TextKey key) {
    return Optional.ofNullable(byKey.get(key));
  }
}
