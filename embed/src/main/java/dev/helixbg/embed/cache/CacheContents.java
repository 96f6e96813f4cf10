package dev.helixbg.embed.cache;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a cache on disk was found to hold: all of {@code embeddings.bin}, or nothing and the reason;
 * and what the journal holds beside it.
 *
 * @param reason why {@code embeddings.bin} gave nothing, for people; empty when the state is GOOD
 * @param rows of {@code embeddings.bin}, sorted by offset
 * @param byKey the vectors of both, whatever the offset they were stored for; not copies
 */
public record CacheContents(
    State state, String reason, List<CacheRow> rows, Journal journal, Map<TextKey, float[]> byKey) {

  /** Known texts that say whose a cache is. */
  private static final int ENOUGH = 64;

  /** How {@code embeddings.bin} was found. */
  public enum State {
    GOOD,
    /** There is none yet. */
    MISSING,
    /** There is one that cannot be trusted; everything in it is embedded again. */
    UNUSABLE
  }

  static CacheContents of(State state, String reason, List<CacheRow> rows, Journal journal) {
    Map<TextKey, float[]> byKey = HashMap.newHashMap(rows.size() + journal.vectors().size());
    rows.forEach(row -> byKey.putIfAbsent(row.key(), row.vector()));
    journal.vectors().forEach(byKey::putIfAbsent);
    return new CacheContents(state, reason, rows, journal, byKey);
  }

  /**
   * The one of some ids that the vectors are under: the one by which most texts are known, of
   * equals the first.
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

  /**
   * One vector of the cache.
   *
   * @param offset of its entry in data.log, an unsigned 32-bit number
   * @param key of the text that was embedded
   * @param vector 384 values of unit length
   */
  public record CacheRow(long offset, TextKey key, float[] vector) {}

  /**
   * What the journal of a cache was found to hold. That there is one says that {@code
   * embeddings.bin} is not what the log says it should be.
   *
   * @param reason why it is not whole, for people; empty where it is, or is not there
   * @param vectors whose records are sound, whatever the state
   */
  public record Journal(State state, String reason, Map<TextKey, float[]> vectors) {

    /** How it was found. */
    public enum State {
      NONE,
      WHOLE,
      /** It ends within a record: its writer was killed, or the disk was full. */
      TORN,
      /** Something in it, or about it, cannot be trusted. */
      DAMAGED,
      /** It is whole, and other users may read or write it. */
      OPEN
    }

    /** That of a cache which has none. */
    public static final Journal NONE = new Journal(State.NONE, "", Map.of());
  }
}
