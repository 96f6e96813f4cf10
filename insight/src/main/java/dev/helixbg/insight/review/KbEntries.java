package dev.helixbg.insight.review;

import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The live entries of a KB whose vectors are in its cache: all of them, once a run has ended.
 *
 * @param entries by offset
 * @param keys of the entries, 32 hex digits of their text's hash each
 * @param vectors of the entries
 * @param log they were read from
 */
public record KbEntries(List<Entry> entries, List<String> keys, Vectors vectors, LogAccount log) {
  public KbEntries {
    if (keys.size() != entries.size() || vectors.count() != entries.size()) {
      throw new IllegalArgumentException("entries, keys and vectors must be as many");
    }
  }

  /**
   * @param modelId of the embedding model
   */
  public static KbEntries read(Path dataLog, EmbeddingCache cache, String modelId) {
    LogReading log = DataLog.read(dataLog);
    CachedVectors cached = cache.read();
    List<Entry> entries = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    for (Entry entry : log.entries()) {
      TextKey key = TextKey.of(modelId, entry.embeddedText());
      cached
          .vector(key)
          .ifPresent(
              vector -> {
                entries.add(entry);
                keys.add(key.hex());
                vectors.add(vector);
              });
    }
    return new KbEntries(entries, keys, Vectors.of(vectors), log.account());
  }

  /** {@code topic:index} of each entry. */
  List<String> names() {
    Map<String, Integer> sizes = new HashMap<>();
    return entries.stream()
        .map(entry -> entry.topic() + ":" + (sizes.merge(entry.topic(), 1, Integer::sum) - 1))
        .toList();
  }

  String text(int index) {
    return entries.get(index).text().content();
  }

  String excerpt(int index) {
    String text = text(index).strip();
    int end = text.offsetByCodePoints(0, Math.min(160, text.codePointCount(0, text.length())));
    return end < text.length() ? text.substring(0, end) + "…" : text;
  }
}
