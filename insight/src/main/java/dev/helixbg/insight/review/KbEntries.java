package dev.helixbg.insight.review;

import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The live entries of a KB whose vectors are in its cache: all of them, once a run has ended.
 *
 * @param entries by offset
 * @param keys of the entries, 32 hex digits of their text's hash each
 * @param vectors of the entries
 * @param passages of the entries, those that have a vector
 * @param log they were read from
 */
public record KbEntries(
    List<Entry> entries,
    List<String> keys,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log) {
  public KbEntries {
    if (keys.size() != entries.size() || vectors.count() != entries.size()) {
      throw new IllegalArgumentException("entries, keys and vectors must be as many");
    }
  }

  /**
   * @param modelId of the embedding model
   * @param modelTokens the most tokens that it takes of a text
   */
  public static KbEntries read(
      Path dataLog, EmbeddingCache cache, String modelId, int modelTokens) {
    LogReading log = DataLog.read(dataLog);
    CachedVectors cached = cache.read();
    List<Entry> entries = new ArrayList<>();
    List<String> keys = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    CachedVectors ofPassages = cache.ofPassages().read();
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<float[]> passageVectors = new ArrayList<>();
    for (Entry entry : log.entries()) {
      TextKey key = TextKey.of(modelId, entry.embeddedText());
      Optional<float[]> vector = cached.vector(key);
      if (vector.isEmpty()) {
        continue;
      }
      for (Passage passage : Passage.of(entry, modelTokens)) {
        TextKey passageKey = TextKey.of(modelId, passage.embeddedText(entry, modelTokens));
        ofPassages
            .vector(passageKey)
            .ifPresent(
                found -> {
                  owners.add(entries.size());
                  passages.add(passage);
                  passageVectors.add(found);
                });
      }
      entries.add(entry);
      keys.add(key.hex());
      vectors.add(vector.get());
    }
    return new KbEntries(
        entries,
        keys,
        Vectors.of(vectors),
        new PassageVectors(
            owners.stream().mapToInt(Integer::intValue).toArray(),
            passages,
            Vectors.of(passageVectors)),
        log.account());
  }
}
