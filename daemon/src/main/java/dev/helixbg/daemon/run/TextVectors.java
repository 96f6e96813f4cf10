package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.EmbedderSource.ForMany;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.SpeedTrial;
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
 * Texts with their vectors: known vectors from the store, and new vectors, which are saved batch by
 * batch.
 *
 * <p>Vectors are saved after every {@link #BATCH_TEXTS} texts, and after {@link #BATCH_TIME} at the
 * latest. If the process dies, only the vectors since the last save are lost.
 *
 * <p>All vectors of an instance are made in one way: the usual way, or another way for many texts
 * (see {@link EmbedderSource#forMany}). The other way replaces the usual way under two conditions:
 * a trial found it faster, and embedding all texts in it takes less time than embedding the missing
 * texts in the usual way. A few new texts do not change the way.
 *
 * <p>One thread at a time may use an instance.
 */
public final class TextVectors implements AutoCloseable {
  public static final int BATCH_TEXTS = 512;
  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  private final VectorStore store;
  private final List<String> texts;
  private final int[] order;
  private final EmbedderSource source;
  private final Optional<ForMany> forMany;
  private final LongSupplier nanoTime;
  private final List<TextKey> keys = new ArrayList<>();
  private final Map<TextKey, float[]> known = new HashMap<>();

  /** Texts without a vector, in the order of embedding. */
  private final Map<TextKey, String> missing = new LinkedHashMap<>();

  /** Id of the vectors, which is part of their keys. */
  private String id;

  /** The open model for many texts; null if none is open. */
  private Embedder other;

  private int reused;
  private int embedded;
  private final KnownVectors stored;
  private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
  private long due;

  /**
   * @param order indices of the texts, in the order of embedding
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

  /** Looks up which texts have a stored vector with this id. */
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

  /** Returns the number of distinct texts without a vector. */
  int left() {
    return missing.size();
  }

  /** Returns the work of embedding all texts without a vector, in units of {@link MiniLm#work}. */
  long workLeft() {
    return missing.values().stream().mapToLong(this::work).sum();
  }

  private long work(String text) {
    return MiniLm.work(Passage.estimatedTokens(text, source.maxTokens()));
  }

  int reused() {
    return reused;
  }

  int embedded() {
    return embedded;
  }

  /** Returns the model for many texts if it must be used; {@link #close} closes the model. */
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
    if (isUsed ? gain > 0 : gain >= SpeedTrial.WORTH && all / gain < missing.size()) {
      if (!isUsed) {
        lookUp(forMany.get().id());
      }
      other = forMany.get().model().get();
    } else if (isUsed) {
      lookUp(source.id());
    }
    return Optional.ofNullable(other);
  }

  String way() {
    return id;
  }

  /** Returns the texts' keys with the usual id; other classes identify texts by these keys. */
  List<TextKey> names() {
    return id.equals(source.id())
        ? List.copyOf(keys)
        : texts.stream().map(text -> TextKey.of(source.id(), text)).toList();
  }

  /** Embeds the next texts, at most {@code most} of them. */
  void embed(Embedder embedder, Progress progress, int most) throws InterruptedException {
    List<TextKey> next = missing.keySet().stream().limit(most).toList();
    List<String> nextTexts = missing.values().stream().limit(most).toList();
    embedder.embed(
        nextTexts,
        (index, vector) -> {
          progress.step(1, work(nextTexts.get(index)));
          add(next.get(index), vector);
        });
  }

  List<TextKey> keys() {
    return keys;
  }

  /** Returns the vector of a text; null if it has none yet. */
  float[] vector(int text) {
    return known.get(keys.get(text));
  }

  /** Adds a new vector, and saves a complete batch. */
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

  void save() {
    store.add(unsaved);
    unsaved.clear();
  }

  /** Saves the new vectors. If no vector is missing, deletes vectors that are no longer needed. */
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
