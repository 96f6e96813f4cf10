package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Arithmetic;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Brings the vectors of a KB's live entries, and of the passages of long ones, up to date: from the
 * store where the text is known, else from the model, saving batch after batch.
 *
 * <p>A batch is what is embedded between two saves, and what the death of the process costs at
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}.
 *
 * <p>Entries are embedded before passages and apart from them, the newest first.
 *
 * @param store that remembers vectors
 * @param source of the model, which is opened only when there is something to embed
 */
public record EmbeddingStage(
    Database store, EmbedderSource source, Progress.Display display, LongSupplier nanoTime) {
  public static final int BATCH_TEXTS = 512;

  /** Texts between two looks at the clock: more of them hide it for seconds on a slow machine. */
  static final int NEWEST_TEXTS = 256;

  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** With the clock of the system. */
  public EmbeddingStage(Database store, EmbedderSource source, Progress.Display display) {
    this(store, source, display, System::nanoTime);
  }

  /**
   * @param keys by which the entries are named, in their order
   * @param present which of the entries have a vector: all, once a run has ended
   * @param vectors one per entry that has one, in the order of the entries; entries of the same
   *     text share one
   * @param passages of long entries that have a vector, those that have one, too
   * @param whole entries all of whose text has vectors
   * @param reused distinct texts, of entries and of passages, whose vector was known
   * @param embedded distinct texts that were embedded
   * @param passagesLeft distinct passages of entries that have a vector, those that have none yet
   */
  public record Result(
      List<TextKey> keys,
      BitSet present,
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
          vectors.size() == all.size() ? all : present.stream().mapToObj(all::get).toList(),
          Vectors.of(vectors),
          passages,
          log.account(),
          new Coverage(whole, all.size()));
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
      Arithmetic arithmetic = source.arithmetic();
      // Each reads and hashes about as much text.
      Texts[] both = new Texts[2];
      ParallelLoop.runToTheEnd(
          "texts",
          2,
          2,
          i -> both[i] = i == 0 ? ofEntries(all, arithmetic) : ofPassages(all, arithmetic));
      own = both[0];
      parts = both[1];
    }

    private Texts ofEntries(List<Entry> all, Arithmetic arithmetic) {
      int[] newestFirst =
          IntStream.range(0, entries)
              .boxed()
              .sorted(
                  Comparator.comparingInt((Integer i) -> all.get(i).timestampMin())
                      .thenComparing(Comparator.naturalOrder())
                      .reversed())
              .mapToInt(Integer::intValue)
              .toArray();
      List<String> texts = all.stream().map(Entry::embeddedText).toList();
      return new Texts(VectorStore.ofEntries(store), texts, newestFirst, arithmetic);
    }

    /** Cuts them, too. */
    private Texts ofPassages(List<Entry> all, Arithmetic arithmetic) {
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < entries; i++) {
        Entry entry = all.get(i);
        for (Passage passage : Passage.of(entry, source.maxTokens())) {
          owners.add(i);
          passages.add(passage);
          texts.add(passage.embeddedText(entry, source.maxTokens()));
        }
      }
      int[] order = IntStream.range(0, texts.size()).toArray();
      return new Texts(VectorStore.ofPassages(store), texts, order, arithmetic);
    }

    /** Distinct passages that have no vector yet. */
    int passagesLeft() {
      return parts.missing.size();
    }

    /**
     * Embeds entries for so long, the newest first; goes on to the end where that takes no longer
     * again.
     *
     * @return whether all have a vector
     * @see EmbeddingStage#run for what this throws
     */
    boolean embedNewest(Duration time) throws InterruptedException {
      embed(own, "Embedding", time);
      return own.missing.isEmpty();
    }

    /**
     * @see EmbeddingStage#run for what this throws
     */
    void embedEntries() throws InterruptedException {
      embed(own, "Embedding", null);
    }

    /**
     * @see EmbeddingStage#run for what this throws
     */
    void embedPassages() throws InterruptedException {
      embed(parts, "Embedding passages", null);
    }

    /**
     * @param time after which it ends before the end, where much is left; null: never
     */
    private void embed(Texts texts, String what, Duration time) throws InterruptedException {
      if (!texts.missing.isEmpty()) {
        if (embedder == null) {
          embedder = source.open();
        }
        long start = nanoTime.getAsLong();
        long work = texts.workLeft();
        long left = work;
        try (Progress progress = display.begin(what, texts.missing.size(), work)) {
          while (!texts.missing.isEmpty()) {
            texts.embed(embedder, progress, time == null ? Integer.MAX_VALUE : NEWEST_TEXTS);
            long took = nanoTime.getAsLong() - start;
            left = texts.workLeft();
            if (time != null && took >= time.toNanos()) {
              // As fast as until now, the rest takes took · left / (work - left).
              if ((double) took * left > (double) time.toNanos() * (work - left)) {
                break;
              }
              time = null;
            }
          }
        } catch (InterruptedException e) {
          texts.save();
          throw e;
        }
      }
      texts.end();
    }

    /** What is known by now. */
    Result result() {
      BitSet present = new BitSet(entries);
      int[] places = new int[entries];
      List<float[]> ownVectors = new ArrayList<>(entries);
      for (int i = 0; i < entries; i++) {
        float[] vector = own.vector(i);
        if (vector != null) {
          present.set(i);
          places[i] = ownVectors.size();
          ownVectors.add(vector);
        }
      }
      List<Integer> knownOwners = new ArrayList<>(owners.size());
      List<Passage> known = new ArrayList<>(owners.size());
      List<float[]> vectors = new ArrayList<>(owners.size());
      BitSet whole = (BitSet) present.clone();
      Set<TextKey> left = new HashSet<>();
      for (int i = 0; i < owners.size(); i++) {
        int owner = owners.get(i);
        float[] vector = parts.vector(i);
        if (!present.get(owner)) {
          continue;
        }
        if (vector == null) {
          whole.clear(owner);
          left.add(parts.names.get(i));
        } else {
          knownOwners.add(places[owner]);
          known.add(passages.get(i));
          vectors.add(vector);
        }
      }
      return new Result(
          List.copyOf(own.names),
          present,
          ownVectors,
          PassageVectors.of(knownOwners, List.copyOf(known), vectors),
          whole.cardinality(),
          own.reused + parts.reused,
          own.embedded + parts.embedded,
          left.size());
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
    private final Arithmetic arithmetic;
    private final List<TextKey> names;
    private final Map<TextKey, float[]> known = new HashMap<>();

    /** In the order in which they are embedded. */
    private final Map<TextKey, String> missing = new LinkedHashMap<>();

    private final int reused;
    private int embedded;
    private final int stored;
    private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
    private long due = nanoTime.getAsLong() + BATCH_TIME.toNanos();

    /**
     * @param order in which they are embedded
     */
    Texts(VectorStore store, List<String> texts, int[] order, Arithmetic arithmetic) {
      this.store = store;
      this.arithmetic = arithmetic;
      names = texts.stream().map(text -> TextKey.of(source.id(), text)).toList();
      KnownVectors found = store.read();
      stored = found.stored();
      for (int i : order) {
        TextKey key = names.get(i).by(arithmetic);
        found
            .vector(key)
            .ifPresentOrElse(v -> known.put(key, v), () -> missing.put(key, texts.get(i)));
      }
      reused = known.size();
    }

    /** Of those that are missing. */
    long workLeft() {
      return missing.values().stream().mapToLong(EmbeddingStage.this::work).sum();
    }

    /** Embeds the next. */
    void embed(Embedder embedder, Progress progress, int most) throws InterruptedException {
      List<TextKey> order = missing.keySet().stream().limit(most).toList();
      List<String> texts = missing.values().stream().limit(most).toList();
      embedder.embed(
          texts,
          (index, vector) -> {
            progress.step(work(texts.get(index)));
            embedded(order.get(index), vector);
          });
    }

    /** Null where a text has none yet. */
    float[] vector(int text) {
      return known.get(names.get(text).by(arithmetic));
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

    /** Saves what is new, and forgets what much of the store is no more needed for. */
    void end() {
      save();
      if (missing.isEmpty()) {
        store.forgetStale(stored + embedded, known);
      }
    }
  }
}
