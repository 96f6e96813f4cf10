package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbedderSource.OtherWay;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.SpeedTrial;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.lessons.SentenceVectors;
import dev.helixbg.insight.log.Passage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Texts with their vectors: known vectors from the store, and new vectors, which are saved batch by
 * batch.
 *
 * <p>Vectors are saved after every {@link #BATCH_TEXTS} texts. If the process dies, only the
 * vectors since the last save are lost.
 *
 * <p>All vectors of an instance are made by one method: the usual method, or the other method (see
 * {@link EmbedderSource#otherWay}). The other method is chosen if a trial has found it faster, and
 * if it can embed all texts in less time than the usual method needs for the texts without a
 * vector. If only a few texts are new, the method stays the same, with one exception. If no text
 * has a vector yet, and the other method's model opens faster, the other method embeds even a few
 * texts, without a trial.
 *
 * <p>One thread at a time may use an instance.
 */
public final class TextVectors {
  public static final int BATCH_TEXTS = 512;

  private final VectorStore store;
  private final List<String> texts;
  private final int[] order;
  private final EmbedderSource source;
  private final Optional<OtherWay> other;
  private final List<TextKey> keys = new ArrayList<>();
  private final Map<TextKey, float[]> known = new HashMap<>();

  /** Texts without a vector, in the order of embedding. */
  private final Map<TextKey, String> missing = new LinkedHashMap<>();

  /** Id of the method that makes the vectors; part of each key. */
  private String id;

  private int embedded;
  private final KnownVectors stored;
  private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();

  /**
   * @param order indices of the texts, in the order of embedding
   * @param other another method of embedding, which may be faster
   */
  TextVectors(
      VectorStore store,
      List<String> texts,
      int[] order,
      EmbedderSource source,
      Optional<OtherWay> other) {
    this.store = store;
    this.stored = store.read();
    this.texts = texts;
    this.order = order;
    this.source = source;
    this.other = other;
    List<String> ids = new ArrayList<>(List.of(source.id()));
    other.ifPresent(way -> ids.add(way.id()));
    lookUp(stored.id(ids, texts.stream()));
  }

  /**
   * Returns a function that embeds lessons, which are sentences about entries. The function takes
   * known vectors from the store, and opens the embedding model only if a vector is missing.
   */
  public static SentenceVectors ofLessons(Database store, EmbedderSource source) {
    return sentences -> {
      int[] order = IntStream.range(0, sentences.size()).toArray();
      TextVectors texts =
          new TextVectors(VectorStore.ofLessons(store), sentences, order, source, Optional.empty());
      if (texts.left() > 0) {
        try (Embedder embedder = texts.open()) {
          texts.embed(embedder, Progress.SILENT, Integer.MAX_VALUE);
        } catch (InterruptedException e) {
          texts.save();
          throw e;
        }
      }
      texts.end();
      return IntStream.of(order).mapToObj(texts::vector).toList();
    };
  }

  /** Chooses the method with this id, and looks up which texts have a stored vector made by it. */
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

  int embedded() {
    return embedded;
  }

  /** Chooses the method of embedding, before texts are embedded. This may run a trial. */
  void chooseWay() {
    boolean isUsed = !isUsual();
    boolean few = missing.size() < EmbedderSource.MANY;
    boolean isTried =
        other.isPresent() && (isUsed || !few || known.isEmpty() && other.get().opensFaster());
    if (!isTried) {
      return;
    }
    double gain = other.get().gain().of(few);
    int all = known.size() + missing.size();
    boolean isBetter = isUsed ? gain > 0 : gain >= SpeedTrial.WORTH && all / gain < missing.size();
    if (isBetter != isUsed) {
      lookUp(isBetter ? other.get().id() : source.id());
    }
  }

  private boolean isUsual() {
    return id.equals(source.id());
  }

  /** Opens the model of the chosen method. The caller closes the model. */
  Embedder open() {
    return isUsual() ? source.open() : other.orElseThrow().model().get();
  }

  /** Returns the id of the chosen method. */
  String way() {
    return id;
  }

  /**
   * Returns the keys by which other classes identify the texts. These keys contain the id of the
   * usual method, even if the other method is chosen.
   */
  List<TextKey> names() {
    return isUsual()
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

  /** Adds a new vector; saves the batch once it is complete. */
  private void add(TextKey key, float[] vector) {
    known.put(key, vector);
    missing.remove(key);
    embedded++;
    unsaved.put(key, vector);
    if (unsaved.size() >= BATCH_TEXTS) {
      save();
    }
  }

  void save() {
    store.add(unsaved);
    unsaved.clear();
  }

  /**
   * Saves the new vectors. If every text has a vector, deletes stored vectors that are no longer
   * needed.
   */
  void end() {
    save();
    if (missing.isEmpty()) {
      store.forgetStale(stored.stored() + embedded, known);
    }
  }
}
