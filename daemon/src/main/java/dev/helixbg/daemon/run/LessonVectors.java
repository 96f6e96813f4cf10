package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.lessons.SentenceVectors;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The vectors of lessons, from the store if they are known, else from the embedding model, which is
 * opened only if needed.
 */
public record LessonVectors(Database store, EmbedderSource source) implements SentenceVectors {
  @Override
  public List<float[]> of(List<String> sentences) throws InterruptedException {
    int[] order = IntStream.range(0, sentences.size()).toArray();
    TextVectors texts =
        new TextVectors(
            VectorStore.ofLessons(store),
            sentences,
            order,
            source,
            Optional.empty(),
            System::nanoTime);
    if (texts.left() > 0) {
      try (Embedder embedder = texts.open()) {
        texts.embed(embedder, Progress.SILENT, Integer.MAX_VALUE);
      } catch (InterruptedException e) {
        texts.save();
        throw e;
      }
    }
    texts.end();
    return IntStream.range(0, sentences.size()).mapToObj(texts::vector).toList();
  }
}
