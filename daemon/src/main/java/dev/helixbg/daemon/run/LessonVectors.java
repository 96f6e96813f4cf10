package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.lessons.SentenceVectors;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The vectors of lessons: from the store where they are known, else from the embedding model, which
 * is opened only when there is something to embed.
 *
 * @param store that remembers vectors
 */
record LessonVectors(Database store, EmbedderSource source) implements SentenceVectors {
  @Override
  public List<float[]> of(List<String> sentences) throws InterruptedException {
    VectorStore vectors = VectorStore.ofLessons(store);
    KnownVectors stored = vectors.read();
    Map<TextKey, float[]> known = new HashMap<>();
    Map<TextKey, String> missing = new LinkedHashMap<>();
    List<TextKey> keys =
        sentences.stream().map(sentence -> TextKey.of(source.id(), sentence)).toList();
    for (int i = 0; i < keys.size(); i++) {
      TextKey key = keys.get(i);
      String sentence = sentences.get(i);
      stored
          .vector(key)
          .ifPresentOrElse(vector -> known.put(key, vector), () -> missing.put(key, sentence));
    }
    if (!missing.isEmpty()) {
      Map<TextKey, float[]> made = embedded(missing);
      vectors.add(made);
      known.putAll(made);
    }
    vectors.forgetStale(stored.stored() + missing.size(), known);
    return keys.stream().map(known::get).toList();
  }

  private Map<TextKey, float[]> embedded(Map<TextKey, String> texts) throws InterruptedException {
    List<TextKey> keys = List.copyOf(texts.keySet());
    Map<TextKey, float[]> made = new HashMap<>();
    try (Embedder embedder = source.open()) {
      embedder.embed(
          List.copyOf(texts.values()), (index, vector) -> made.put(keys.get(index), vector));
    }
    return made;
  }
}
