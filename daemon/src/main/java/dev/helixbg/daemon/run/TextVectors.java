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
 * Texts with their vectors. Stored vectors are read; new vectors are saved after every {@link
 * #BATCH_TEXTS} texts. One thread at a time may use an instance.
 *
 * <p>One embedding method makes all vectors of an instance. The usual method gives way to the other
 * method (see {@link EmbedderSource#otherWay}) if a trial has found the latter faster. The latter
 * must also embed all texts in less time than the usual method needs for the missing vectors. If
 * only a few texts are new, the method does not change. If there are no vectors yet, however, a
 * method whose model opens faster may make them.
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

  /** {@code order} has the indices of the texts, in the order of embedding. */
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

  /** Returns a function that embeds lessons; it opens the model only if a vector is missing. */
  public static SentenceVectors ofLessons(Database store, EmbedderSource source) {
    return sentences -> {
      int[] order = IntStream.range(0, sentences.size()).toArray();
      TextVectors texts =
          new TextVectors(VectorStore.ofLessons(store), sentences, order, source, Optional.empty());
      if (texts.left() > 0) {
        try (Embedder embedder = texts.open()) {
          texts.embed(embedder, Progress.SILENT, Integer.MAX_VALUE);
        }
      }
      texts.end();
      return IntStream.of(order).mapToObj(texts::vector).toList();
    };
  }

  /** Chooses the embedding method with this id, and looks up its stored vectors. */
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

  /** Returns the work that computing the missing vectors takes, in units of {@link MiniLm#work}. */
  long workLeft() {
    return missing.values().stream().mapToLong(this::work).sum();
  }

  private long work(String text) {
    return MiniLm.work(Passage.estimatedTokens(text, source.maxTokens()));
  }

  int embedded() {
    return embedded;
  }

  /** Chooses the embedding method before texts are embedded; may measure the other method. */
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

  Embedder open() {
    return isUsual() ? source.open() : other.orElseThrow().model().get();
  }

  /** Returns the id of the chosen embedding method. */
  String way() {
    return id;
  }

  /**
   * Returns the keys that the texts have with the usual embedding method. Other classes identify
   * the texts by these keys.
   */
  List<TextKey> names() {
    return isUsual()
        ? List.copyOf(keys)
        : texts.stream().map(text -> TextKey.of(source.id(), text)).toList();
  }

  /** Embeds at most {@code most} texts; if interrupted, the vectors made so far are saved. */
  void embed(Embedder embedder, Progress progress, int most) throws InterruptedException {
    List<TextKey> next = missing.keySet().stream().limit(most).toList();
    List<String> nextTexts = missing.values().stream().limit(most).toList();
    try {
      embedder.embed(
          nextTexts,
          (index, vector) -> {
            progress.step(1, work(nextTexts.get(index)));
            add(next.get(index), vector);
          });
    } catch (InterruptedException e) {
      save();
      throw e;
    }
  }

  List<TextKey> keys() {
    return keys;
  }

  /** Returns the vector of a text; null if it has none yet. */
  float[] vector(int text) {
    return known.get(keys.get(text));
  }

  private void add(TextKey key, float[] vector) {
    known.put(key, vector);
    missing.remove(key);
    embedded++;
    unsaved.put(key, vector);
    if (unsaved.size() >= BATCH_TEXTS) {
      save();
    }
  }

  private void save() {
    store.add(unsaved);
    unsaved.clear();
  }

  /**
   * Saves the new vectors. If every text has one, deletes stored vectors that are no longer needed.
   */
  void end() {
    save();
    if (missing.isEmpty()) {
      store.forgetStale(stored.stored() + embedded, known);
    }
  }
}
