package dev.helixbg.daemon;

import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.CacheRow;
import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Brings the vectors of a KB's live entries up to date: from the cache where the text is known,
 * else from the model, saving batch after batch.
 *
 * <p>A batch is what is embedded between two saves, and what the death of the process costs at
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}.
 */
final class VectorUpdate {
  static final int BATCH_TEXTS = 512;

  /** A save writes the whole cache: where that is slow, {@link #SAVE_SHARE} times what it took. */
  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** However slowly the cache is written. */
  static final Duration LONGEST_BATCH_TIME = Duration.ofSeconds(20);

  private static final int SAVE_SHARE = 10;

  private final EmbeddingCache cache;
  private final String modelId;
  private final Supplier<Embedder> model;
  private final Progress.Display display;
  private final LongSupplier nanoTime;

  /**
   * @param modelId of the model that {@code model} opens
   * @param model opened only when there is something to embed
   */
  VectorUpdate(
      EmbeddingCache cache, String modelId, Supplier<Embedder> model, Progress.Display display) {
    this(cache, modelId, model, display, System::nanoTime);
  }

  /** The same with a clock of its own. */
  VectorUpdate(
      EmbeddingCache cache,
      String modelId,
      Supplier<Embedder> model,
      Progress.Display display,
      LongSupplier nanoTime) {
    this.cache = cache;
    this.modelId = modelId;
    this.model = model;
    this.display = display;
    this.nanoTime = nanoTime;
  }

  /**
   * @param keys one per entry, in the order of the entries
   * @param vectors one per entry, in the order of the entries; entries of the same text share one
   * @param reused distinct texts whose vector was in the cache
   * @param embedded distinct texts that were embedded
   * @param rebuilt why the cache that was there could not be used
   */
  record Result(
      List<TextKey> keys,
      List<float[]> vectors,
      int reused,
      int embedded,
      Optional<String> rebuilt) {}

  /**
   * @param save whether the cache may be written
   * @throws InterruptedException when interrupted; the vectors made until then are saved
   * @throws Failure with {@link ExitCode#WRITE} when the cache cannot be written
   */
  Result run(List<Entry> entries, boolean save) throws InterruptedException {
    CachedVectors cached = cache.read();
    List<TextKey> keys = new ArrayList<>(entries.size());
    Map<TextKey, float[]> known = HashMap.newHashMap(entries.size());
    Map<TextKey, String> missing = new LinkedHashMap<>();
    for (Entry entry : entries) {
      String text = entry.embeddedText();
      TextKey key = TextKey.of(modelId, text);
      keys.add(key);
      cached.vector(key).ifPresentOrElse(v -> known.put(key, v), () -> missing.put(key, text));
    }
    int reused = known.size();
    Saver saver = new Saver(entries, keys, known, cached.rows(), save);
    if (!missing.isEmpty()) {
      embed(missing, known, saver);
    }
    saver.saveWhenChanged();
    Optional<String> rebuilt =
        Optional.of(cached.reason()).filter(r -> cached.state() == CachedVectors.State.UNUSABLE);
    List<float[]> vectors = keys.stream().map(known::get).toList();
    return new Result(List.copyOf(keys), vectors, reused, missing.size(), rebuilt);
  }

  private void embed(Map<TextKey, String> missing, Map<TextKey, float[]> known, Saver saver)
      throws InterruptedException {
    List<TextKey> keys = List.copyOf(missing.keySet());
    try (Embedder embedder = model.get();
        Progress progress = display.begin("Embedding", missing.size())) {
      embedder.embed(
          List.copyOf(missing.values()),
          (index, vector) -> {
            known.put(keys.get(index), vector);
            progress.step();
            saver.embedded();
          });
    } catch (InterruptedException e) {
      saver.saveWhenChanged();
      throw e;
    }
  }

  /** Writes the cache; used by one thread at a time, as the embedder calls its sink. */
  private final class Saver {
    private final List<Entry> entries;
    private final List<TextKey> keys;
    private final Map<TextKey, float[]> known;
    private final boolean allowed;
    private List<CacheRow> saved;
    private long due = nanoTime.getAsLong() + BATCH_TIME.toNanos();
    private int unsaved;

    Saver(
        List<Entry> entries,
        List<TextKey> keys,
        Map<TextKey, float[]> known,
        List<CacheRow> saved,
        boolean allowed) {
      this.entries = entries;
      this.keys = keys;
      this.known = known;
      this.saved = saved;
      this.allowed = allowed;
    }

    /** A text was; saves when it completes a batch. */
    void embedded() {
      unsaved++;
      long start = nanoTime.getAsLong();
      if (unsaved >= BATCH_TEXTS || start - due >= 0) {
        saveWhenChanged();
        unsaved = 0;
        long end = nanoTime.getAsLong();
        long pause = Math.max(BATCH_TIME.toNanos(), SAVE_SHARE * (end - start));
        due = end + Math.min(pause, LONGEST_BATCH_TIME.toNanos());
      }
    }

    void saveWhenChanged() {
      List<CacheRow> rows = rows();
      if (allowed && !sameRows(rows, saved)) {
        try {
          cache.save(rows);
          saved = rows;
        } catch (IOException e) {
          throw new Failure(
              ExitCode.WRITE,
              "cannot save the vectors to "
                  + EmbeddingCache.VECTORS
                  + " in the knowledge base: "
                  + Reasons.of(e)
                  + ". Nothing was lost; mend that and run again");
        }
      }
    }

    /**
     * Live entries only, those that have a vector: the log is in offset order, and so is the cache.
     */
    private List<CacheRow> rows() {
      List<CacheRow> rows = new ArrayList<>(entries.size());
      for (int i = 0; i < entries.size(); i++) {
        float[] vector = known.get(keys.get(i));
        if (vector != null) {
          rows.add(new CacheRow(entries.get(i).offset(), keys.get(i), vector));
        }
      }
      return rows;
    }

    private static boolean sameRows(List<CacheRow> a, List<CacheRow> b) {
      if (a.size() != b.size()) {
        return false;
      }
      for (int i = 0; i < a.size(); i++) {
        if (a.get(i).offset() != b.get(i).offset() || !a.get(i).key().equals(b.get(i).key())) {
          return false;
        }
      }
      return true;
    }
  }
}
