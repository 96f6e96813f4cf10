package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.EmbedderSource.ForMany;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.log.Passage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Texts with their vectors: those that the store knows, and those that are embedded now and saved
 * batch after batch.
 *
 * <p>A batch is what is embedded between two saves, and what the death of the process costs at
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}.
 *
 * <p>A store has vectors of one way to embed. The other one that there may be for many texts (see
 * {@link EmbedderSource#forMany}) takes over when that is less work, and it was measured to be
 * faster: a handful of new texts goes the usual way, or that of the texts before.
 *
 * <p>Used by one thread at a time, as the embedder calls its sink.
 */
public final class TextVectors implements AutoCloseable {
  public static final int BATCH_TEXTS = 512;
  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** Least gain in speed for which another way is taken: less is within what trials differ. */
  public static final double WORTH = 1.15;

  private final VectorStore store;
  private final List<String> texts;
  private final int[] order;
  private final EmbedderSource source;
  private final Optional<ForMany> forMany;
  private final LongSupplier nanoTime;
  private final List<TextKey> keys = new ArrayList<>();
  private final Map<TextKey, float[]> known = new HashMap<>();

  /** Texts without a vector, in the order in which they are embedded. */
  private final Map<TextKey, String> missing = new LinkedHashMap<>();

  /** Id of the way that the vectors were made: part of their keys. */
  private String id;

  /** The open model for many texts; null: none is open. */
  private Embedder other;

  private int reused;
  private int embedded;
  private final KnownVectors stored;
  private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
  private long due;

  /**
   * @param order indices of the texts, in the order in which they are embedded
   * @param forMany another way to embed, which may be faster for many texts
   */
  TextVectors(
      VectorStore store,
      List<String> texts,
      int[] order,
      EmbedderSource source,
      Optional<ForMany> forMany,
      LongSupplier nanoTime) {
    this.store = store;
    this.stored = store.read();
    this.texts = texts;
    this.order = order;
    this.source = source;
    this.forMany = forMany;
    this.nanoTime = nanoTime;
    this.due = nanoTime.getAsLong() + BATCH_TIME.toNanos();
    List<String> ids = new ArrayList<>(List.of(source.id()));
    forMany.ifPresent(way -> ids.add(way.id()));
    lookUp(stored.id(ids, texts.stream()));
  }

  /** Finds out which texts are known under an id. */
  private void lookUp(String id) {
    this.id = id;
    keys.clear();
    known.clear();
    missing.clear();
    texts.forEach(text -> keys.add(TextKey.of(id, text)));
    for (int i : order) {
      TextKey key = keys.get(i);
      stored
          .vector(key)
          .ifPresentOrElse(v -> known.put(key, v), () -> missing.put(key, texts.get(i)));
    }
    reused = known.size();
  }

  /** Distinct texts that have no vector yet. */
  int left() {
    return missing.size();
  }

  /** Work that {@link #left} takes, in the units of {@link MiniLm#work}. */
  long workLeft() {
    return missing.values().stream().mapToLong(this::work).sum();
  }

  private long work(String text) {
    return MiniLm.work(Passage.estimatedTokens(text, source.maxTokens()));
  }

  /** Distinct texts whose vector was known. */
  int reused() {
    return reused;
  }

  /** Distinct texts that were embedded. */
  int embedded() {
    return embedded;
  }

  /** The model for many texts where it is to be used; it is closed with this. */
  Optional<Embedder> openForMany() {
    if (other != null) {
      return Optional.of(other);
    }
    boolean isUsed = !id.equals(source.id());
    if (forMany.isEmpty() || !isUsed && missing.size() < EmbedderSource.MANY) {
      return Optional.empty();
    }
    double gain = forMany.get().gain().getAsDouble();
    int all = known.size() + missing.size();
    if (isUsed ? gain > 0 : gain >= WORTH && all / gain < missing.size()) {
      if (!isUsed) {
        lookUp(forMany.get().id());
      }
      other = forMany.get().model().get();
    } else if (isUsed) {
      lookUp(source.id());
    }
    return Optional.ofNullable(other);
  }

  /** Id of the vectors. */
  String way() {
    return id;
  }

  /** The texts' keys under the usual id, by which texts are named. */
  List<TextKey> names() {
    return id.equals(source.id())
        ? List.copyOf(keys)
        : texts.stream().map(text -> TextKey.of(source.id(), text)).toList();
  }

  /**
   * Embeds the next texts.
   *
   * @param most texts that are embedded
   */
  void embed(Embedder embedder, Progress progress, int most) throws InterruptedException {
    List<TextKey> next = missing.keySet().stream().limit(most).toList();
    List<String> nextTexts = missing.values().stream().limit(most).toList();
    embedder.embed(
        nextTexts,
        (index, vector) -> {
          progress.step(work(nextTexts.get(index)));
          add(next.get(index), vector);
        });
  }

  /** The keys of the texts' vectors, one each. */
  List<TextKey> keys() {
    return keys;
  }

  /** The key of a text's vector. */
  TextKey key(int text) {
    return keys.get(text);
  }

  /** Null where a text has none yet. */
  float[] vector(int text) {
    return known.get(keys.get(text));
  }

  /** Adds a new vector; saves when it completes a batch. */
  private void add(TextKey key, float[] vector) {
    known.put(key, vector);
    missing.remove(key);
    embedded++;
    unsaved.put(key, vector);
    if (unsaved.size() >= BATCH_TEXTS || nanoTime.getAsLong() - due >= 0) {
      save();
      due = nanoTime.getAsLong() + BATCH_TIME.toNanos();
    }
  }

  /** Saves what is new. */
  void save() {
    store.add(unsaved);
    unsaved.clear();
  }

  /** Saves what is new; once nothing is missing, forgets vectors that are no longer needed. */
  void end() {
    save();
    if (missing.isEmpty()) {
      store.forgetStale(stored.stored() + embedded, known);
    }
  }

  @Override
  public void close() {
    if (other != null) {
      other.close();
    }
  }
}
