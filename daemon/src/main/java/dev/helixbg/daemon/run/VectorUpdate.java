package dev.helixbg.daemon.run;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.CacheRow;
import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.Journal;
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
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}. It goes
 * to the cache's journal; the whole cache is published when as many vectors wait there as it has,
 * so that all its states together are not twice as large as the last one.
 */
public final class VectorUpdate {
  public static final int BATCH_TEXTS = 512;

  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** A cache of so few entries (50 KB) is published at the end of each run that changed it. */
  static final int FEW = 32;

  private final EmbeddingCache cache;
  private final String modelId;
  private final Supplier<Embedder> model;
  private final Progress.Display display;
  private final LongSupplier nanoTime;

  /**
   * @param modelId of the model that {@code model} opens
   * @param model opened only when there is something to embed
   */
  public VectorUpdate(
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
  public record Result(
      List<TextKey> keys,
      List<float[]> vectors,
      int reused,
      int embedded,
      Optional<String> rebuilt) {}

  /**
   * @throws InterruptedException when interrupted; the vectors made until then are saved
   * @throws Failure with {@link ExitCode#WRITE} when the cache cannot be written
   */
  public Result run(List<Entry> entries, Saving saving) throws InterruptedException {
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
    Saver saver = new Saver(entries, keys, known, cached, saving);
    if (!missing.isEmpty()) {
      embed(missing, saver);
    }
    saver.end();
    Optional<String> rebuilt =
        Optional.of(cached.reason()).filter(r -> cached.state() == CachedVectors.State.UNUSABLE);
    List<float[]> vectors = keys.stream().map(known::get).toList();
    return new Result(List.copyOf(keys), vectors, reused, missing.size(), rebuilt);
  }

  private void embed(Map<TextKey, String> missing, Saver saver) throws InterruptedException {
    List<TextKey> keys = List.copyOf(missing.keySet());
    try (Embedder embedder = model.get();
        Progress progress = display.begin("Embedding", missing.size())) {
      embedder.embed(
          List.copyOf(missing.values()),
          (index, vector) -> {
            progress.step();
            saver.embedded(keys.get(index), vector);
          });
    } catch (InterruptedException e) {
      saver.save();
      throw e;
    }
  }

  /** Writes the cache; used by one thread at a time, as the embedder calls its sink. */
  private final class Saver {
    private final List<Entry> entries;
    private final List<TextKey> keys;
    private final Map<TextKey, float[]> known;
    private final Saving saving;

    /** Of the whole cache on disk. */
    private List<CacheRow> published;

    private Journal journal;

    /** Vectors in the journal. */
    private int waiting;

    private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
    private long due = nanoTime.getAsLong() + BATCH_TIME.toNanos();

    Saver(
        List<Entry> entries,
        List<TextKey> keys,
        Map<TextKey, float[]> known,
        CachedVectors cached,
        Saving saving) {
      this.entries = entries;
      this.keys = keys;
      this.known = known;
      this.saving = saving;
      this.published = cached.rows();
      this.journal = cached.journal();
      this.waiting = journal.vectors().size();
    }

    /** A text was; saves when it completes a batch. */
    void embedded(TextKey key, float[] vector) {
      known.put(key, vector);
      unsaved.put(key, vector);
      if (unsaved.size() >= BATCH_TEXTS || nanoTime.getAsLong() - due >= 0) {
        save();
        due = nanoTime.getAsLong() + BATCH_TIME.toNanos();
      }
    }

    /** Saves what is new. */
    void save() {
      if (saving != Saving.NOTHING && !unsaved.isEmpty()) {
        write(isPublishingDue() ? this::publish : this::append);
      }
      unsaved.clear();
    }

    /** Saves what is new, and that some vectors are needed no more or elsewhere. */
    void end() {
      if (saving == Saving.NOTHING) {
        return;
      }
      List<CacheRow> rows = rows();
      if (sameRows(rows, published)) {
        if (journal.state() != Journal.State.NONE) {
          write(cache::endJournal);
        }
      } else if (saving == Saving.PUBLISHED
          || rows.size() <= FEW
          || isPublishingDue()
          || contradict(rows, published)) {
        write(this::publish);
      } else if (!unsaved.isEmpty() || waiting == 0) {
        write(this::append);
      }
    }

    private boolean isPublishingDue() {
      return waiting + unsaved.size() >= published.size() || !journal.takesMore();
    }

    private void publish() throws IOException {
      List<CacheRow> rows = rows();
      cache.publish(rows);
      published = rows;
      journal = Journal.NONE;
      waiting = 0;
    }

    private void append() throws IOException {
      cache.append(unsaved);
      waiting += unsaved.size();
    }

    private void write(Writing writing) {
      try {
        writing.run();
      } catch (IOException e) {
        throw new Failure(
            ExitCode.WRITE,
            "cannot save the vectors in the knowledge base: "
                + Reasons.of(e)
                + ". Nothing was lost; mend that and run again");
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

    /** Whether one has another text for an offset: the log was compacted, or the model changed. */
    private static boolean contradict(List<CacheRow> a, List<CacheRow> b) {
      Map<Long, TextKey> keys = HashMap.newHashMap(a.size());
      a.forEach(row -> keys.put(row.offset(), row.key()));
      return b.stream().anyMatch(r -> !keys.getOrDefault(r.offset(), r.key()).equals(r.key()));
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

  private interface Writing {
    void run() throws IOException;
  }
}
