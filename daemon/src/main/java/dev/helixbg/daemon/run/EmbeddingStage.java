package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Brings the vectors of a KB's live entries, and of the passages of long ones, up to date: from the
 * store where the text is known, else from the model, saving batch after batch.
 *
 * <p>A batch is what is embedded between two saves, and what the death of the process costs at
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}.
 *
 * <p>A store has vectors of one way to embed. The other one that there may be for many texts (see
 * {@link EmbedderSource#forMany}) takes over when that is less work, and it was measured to be
 * faster: a handful of new texts goes the usual way, or that of the texts before.
 *
 * <p>Entries are embedded before passages and apart from them: batches, and so the last bits of a
 * vector, depend on the texts that are embedded together.
 *
 * @param store that remembers vectors
 * @param source of the model, which is opened only when there is something to embed
 */
public record EmbeddingStage(
    Database store, EmbedderSource source, Progress.Display display, LongSupplier nanoTime) {
  public static final int BATCH_TEXTS = 512;

  /** Texts of which it is worth the time to open the model for many texts, some seconds of work. */
  static final int MANY = 512;

  /** So many times as fast, and more, is worth another way: less is within what trials differ. */
  public static final double WORTH = 1.15;

  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** With the clock of the system. */
  public EmbeddingStage(Database store, EmbedderSource source, Progress.Display display) {
    this(store, source, display, System::nanoTime);
  }

  /**
   * @param keys by which the entries are named, in their order
   * @param vectors one per entry, in the order of the entries; entries of the same text share one
   * @param passages of long entries, those that have a vector
   * @param whole entries all of whose passages have one
   * @param reused distinct texts, of entries and of passages, whose vector was known
   * @param embedded distinct texts that were embedded
   * @param passagesLeft distinct passages that have no vector yet
   */
  public record Result(
      List<TextKey> keys,
      List<float[]> vectors,
      PassageVectors passages,
      int whole,
      int reused,
      int embedded,
      int passagesLeft) {

    /**
     * The entries with their vectors.
     *
     * @param log that the update was made for
     */
    public KbEntries of(LogReading log) {
      Iterator<TextKey> next = keys.iterator();
      List<NamedEntry> all = NamedEntry.all(log.entries(), entry -> next.next().hex());
      return new KbEntries(
          all, Vectors.of(vectors), passages, log.account(), new Coverage(whole, all.size()));
    }
  }

  /**
   * @throws InterruptedException when interrupted; the vectors made until then are saved
   * @throws dev.helixbg.embed.store.StoreException when the vectors cannot be read or saved
   */
  public Result run(List<Entry> entries) throws InterruptedException {
    try (Stages stages = begin(entries)) {
      stages.embedEntries();
      stages.embedPassages();
      return stages.result();
    }
  }

  private long work(String text) {
    return MiniLm.work(Passage.estimatedTokens(text, source.maxTokens()));
  }

  /** An update that is done stage by stage; its thread closes it. */
  Stages begin(List<Entry> entries) {
    return new Stages(entries);
  }

  /**
   * An update under way: what a report takes first, the vectors of the entries, and then what takes
   * longer, those of passages. Each stage saves what it makes, and the model stays open for the
   * next.
   */
  final class Stages implements AutoCloseable {
    private final int entries;
    private final List<Integer> owners = new ArrayList<>();
    private final List<Passage> passages = new ArrayList<>();
    private final Texts own;
    private final Texts parts;
    private Embedder embedder;

    private Stages(List<Entry> all) {
      entries = all.size();
      // Each reads and hashes about as much text.
      Texts[] both = new Texts[2];
      ParallelLoop.runToTheEnd(
          "texts", 2, 2, i -> both[i] = i == 0 ? ofEntries(all) : ofPassages(all));
      own = both[0];
      parts = both[1];
    }

    private Texts ofEntries(List<Entry> all) {
      List<String> texts = all.stream().map(Entry::embeddedText).toList();
      return new Texts(VectorStore.ofEntries(store), texts, source.forMany(false));
    }

    /** Cuts them, too. */
    private Texts ofPassages(List<Entry> all) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < entries; i++) {
        Entry entry = all.get(i);
        for (Passage passage : Passage.of(entry, source.maxTokens())) {
          owners.add(i);
          passages.add(passage);
          texts.add(passage.embeddedText(entry, source.maxTokens()));
        }
      }
      return new Texts(VectorStore.ofPassages(store), texts, source.forMany(true));
    }

    /** Distinct passages that have no vector yet. */
    int passagesLeft() {
      return parts.missing.size();
    }

    /**
     * @see EmbeddingStage#run for what this throws
     */
    void embedEntries() throws InterruptedException {
      embed(own, "Embedding");
    }

    /**
     * @see EmbeddingStage#run for what this throws
     */
    void embedPassages() throws InterruptedException {
      embed(parts, "Embedding passages");
    }

    private void embed(Texts texts, String what) throws InterruptedException {
      if (!texts.missing.isEmpty()) {
        try (Embedder other = texts.openForMany()) {
          if (other == null && embedder == null) {
            embedder = source.open();
          }
          long work = texts.missing.values().stream().mapToLong(EmbeddingStage.this::work).sum();
          try (Progress progress = display.begin(what, texts.missing.size(), work)) {
            texts.embed(other == null ? embedder : other, progress);
          }
        } catch (InterruptedException e) {
          texts.save();
          throw e;
        }
      }
      texts.end();
    }

    /** What is known by now; the entries must have been embedded. */
    Result result() {
      List<Integer> knownOwners = new ArrayList<>(owners.size());
      List<Passage> known = new ArrayList<>(owners.size());
      List<float[]> vectors = new ArrayList<>(owners.size());
      BitSet partly = new BitSet(entries);
      for (int i = 0; i < owners.size(); i++) {
        float[] vector = parts.vector(i);
        if (vector == null) {
          partly.set(owners.get(i));
        } else {
          knownOwners.add(owners.get(i));
          known.add(passages.get(i));
          vectors.add(vector);
        }
      }
      return new Result(
          own.names(),
          own.vectors(),
          PassageVectors.of(knownOwners, List.copyOf(known), vectors),
          entries - partly.cardinality(),
          own.reused + parts.reused,
          own.embedded + parts.embedded,
          parts.missing.size());
    }

    @Override
    public void close() {
      if (embedder != null) {
        embedder.close();
      }
    }
  }

  /**
   * Texts with the store of their vectors; used by one thread at a time, as the embedder calls its
   * sink.
   */
  private final class Texts {
    private final VectorStore store;
    private final List<String> texts;
    private final Optional<EmbedderSource.ForMany> forMany;
    private final List<TextKey> keys = new ArrayList<>();
    private final Map<TextKey, float[]> known = new HashMap<>();
    private final Map<TextKey, String> missing = new LinkedHashMap<>();

    /** Of the vectors: part of their keys. */
    private String id;

    private int reused;
    private int embedded;
    private final KnownVectors stored;
    private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
    private long due = nanoTime.getAsLong() + BATCH_TIME.toNanos();

    Texts(VectorStore store, List<String> texts, Optional<EmbedderSource.ForMany> forMany) {
      this.store = store;
      this.stored = store.read();
      this.texts = texts;
      this.forMany = forMany;
      List<String> ids = new ArrayList<>(List.of(source.id()));
      forMany.ifPresent(other -> ids.add(other.id()));
      lookUp(stored.id(ids, texts.stream()));
    }

    /** Finds out which texts are known under an id. */
    private void lookUp(String id) {
      this.id = id;
      keys.clear();
      known.clear();
      missing.clear();
      for (String text : texts) {
        TextKey key = TextKey.of(id, text);
        keys.add(key);
        stored.vector(key).ifPresentOrElse(v -> known.put(key, v), () -> missing.put(key, text));
      }
      reused = known.size();
    }

    /** The model for many texts where it is to be used; else null. */
    Embedder openForMany() {
      boolean isUsed = !id.equals(source.id());
      if (forMany.isEmpty() || !isUsed && missing.size() < MANY) {
        return null;
      }
      double gain = forMany.get().gain().getAsDouble();
      int all = known.size() + missing.size();
      if (isUsed ? gain > 0 : gain >= WORTH && all / gain < missing.size()) {
        if (!isUsed) {
          lookUp(forMany.get().id());
        }
        return forMany.get().model().get();
      }
      if (isUsed) {
        lookUp(source.id());
      }
      return null;
    }

    /** The keys under the usual id, by which texts are named. */
    List<TextKey> names() {
      return id.equals(source.id())
          ? List.copyOf(keys)
          : texts.stream().map(text -> TextKey.of(source.id(), text)).toList();
    }

    void embed(Embedder embedder, Progress progress) throws InterruptedException {
      List<TextKey> order = List.copyOf(missing.keySet());
      embedder.embed(
          List.copyOf(missing.values()),
          (index, vector) -> {
            progress.step(work(missing.get(order.get(index))));
            embedded(order.get(index), vector);
          });
    }

    /** One per text, when all have one. */
    List<float[]> vectors() {
      return keys.stream().map(known::get).toList();
    }

    /** Null where a text has none yet. */
    float[] vector(int text) {
      return known.get(keys.get(text));
    }

    /** A text was; saves when it completes a batch. */
    private void embedded(TextKey key, float[] vector) {
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

    /** Saves what is new, and forgets what most of the store is no more needed for. */
    void end() {
      save();
      store.forgetStale(stored.stored() + embedded, known);
    }
  }
}
