package dev.helixbg.daemon;

import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.LogReading;
import java.util.ArrayList;
import java.util.List;

/**
 * The entries of a KB whose vectors are in its cache: all of them, once a run has ended.
 *
 * @param keys in hexadecimal; like the vectors one per entry, in the order of the entries
 * @param log of which they were read
 */
record EmbeddedEntries(
    List<Entry> entries, List<String> keys, List<float[]> vectors, LogAccount log) {

  /**
   * @param modelId of the embedding model
   */
  static EmbeddedEntries read(Kb kb, String modelId) {
    LogReading log = DataLog.read(kb.dataLog());
    CachedVectors cached = new EmbeddingCache(kb.folder()).read();
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
    return new EmbeddedEntries(entries, keys, vectors, log.account());
  }
}
