package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.CacheContents.Journal;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.IOException;
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
 * caches where the text is known, else from the model, saving batch after batch.
 *
 * <p>A batch is what is embedded between two saves, and what the death of the process costs at
 * most: {@link #BATCH_TEXTS} texts, and no more than are embedded in {@link #BATCH_TIME}. It goes
 * to the journal of a cache; the whole cache is published when as many vectors wait there as it
 * has, so that all its states together are not twice as large as the last one.
 *
 * <p>A cache is of one way to embed, the one that made it. The other one that there may be for many
 * texts (see {@link EmbedderSource#forMany}) takes over when that is less work, and it was measured
 * to be faster: a handful of new texts goes the usual way, or that of the texts before.
 *
 * <p>Entries are embedded before passages and apart from them: batches, and so the last bits of a
 * vector, depend on the texts that are embedded together.
 *
 * @param cache of the entries; that of their passages is beside it
 * @param source of the model, which is opened only when there is something to embed
 * @param permit is asked before a vector is taken in, and throws where nothing may be written
 */
public record EmbeddingStage(
    EmbeddingCache cache,
    EmbedderSource source,
    Runnable permit,
    Progress.Display display,
    LongSupplier nanoTime) {
  public static final int BATCH_TEXTS = 512;

  /** Texts of which it is worth the time to open the model for many texts, some seconds of work. */
  static final int MANY = 512;

  /** So many times as fast, and more, is worth another way: less is within what trials differ. */
  public static final double WORTH = 1.15;

  static final Duration BATCH_TIME = Duration.ofSeconds(2);

  /** A cache of so few entries (50 KB) is published at the end of each run that changed it. */
  static final int FEW = 32;

  /**
   * Brings the vectors of a KB up to date, unless it is gone meanwhile.
   *
   * @param log of that KB, just read
   */
  public static Result of(
      Kb kb, LogReading log, EmbedderSource source, Saving saving, Progress.Display display)
      throws InterruptedException {
    return of(kb, source, display).run(log.entries(), saving);
  }

  /** Of a KB, unless it is gone meanwhile. */
  static EmbeddingStage of(Kb kb, EmbedderSource source, Progress.Display display) {
    return new EmbeddingStage(
        new EmbeddingCache(kb.folder()),
        source,
        KbIdentity.of(kb)::check,
        display,
        System::nanoTime);
  }

  /**
   * @param keys by which the entries are named, in their order
   * @param vectors one per entry, in the order of the entries; entries of the same text share one
   * @param passages of long entries, those that have a vector
   * @param whole entries all of whose passages have one
   * @param reused distinct texts, of entries and of passages, whose vector was in the cache
   * @param embedded distinct texts that were embedded
   * @param passagesLeft distinct passages that have no vector yet
   * @param rebuilt why a cache that was there could not be used
   */
  public record Result(
      List<TextKey> keys,
      List<float[]> vectors,
      PassageVectors passages,
      int whole,
      int reused,
      int embedded,
      int passagesLeft,
      Optional<String> rebuilt) {

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
   * @throws Failure with {@link ExitCode#WRITE} when a cache cannot be written
   */
  public Result run(List<Entry> entries, Saving saving) throws InterruptedException {
    try (Stages stages = begin(entries, saving)) {
      stages.embedEntries();
      stages.embedPassages();
      return stages.result();
    }
  }

  private long work(String text) {
    return MiniLm.work(Passage.estimatedTokens(text, source.maxTokens()));
  }

  /** An update that is done stage by stage; its thread closes it. */
  Stages begin(List<Entry> entries, Saving saving) {
    return new Stages(entries, saving);
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

    private Stages(List<Entry> all, Saving saving) {
      entries = all.size();
      // Each reads a file and hashes about as much text.
      Texts[] both = new Texts[2];
      ParallelLoop.runToTheEnd(
          "texts", 2, 2, i -> both[i] = i == 0 ? ofEntries(all, saving) : ofPassages(all, saving));
      own = both[0];
      parts = both[1];
    }

    private Texts ofEntries(List<Entry> all, Saving saving) {
      List<Long> offsets = all.stream().map(Entry::offset).toList();
      List<String> texts = all.stream().map(Entry::embeddedText).toList();
      return new Texts(cache, offsets, texts, source.forMany(false), saving);
    }

    /** Cuts them, too. */
    private Texts ofPassages(List<Entry> all, Saving saving) {
      List<Long> offsets = new ArrayList<>();
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < entries; i++) {
        Entry entry = all.get(i);
        long offset = entry.offset();
        for (Passage passage : Passage.of(entry, source.maxTokens())) {
          owners.add(i);
          passages.add(passage);
          // Within the entry's record, so before the next entry's: it has more bytes than passages.
          offsets.add(++offset);
          texts.add(passage.embeddedText(entry, source.maxTokens()));
        }
      }
      return new Texts(cache.ofPassages(), offsets, texts, source.forMany(true), saving);
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
          parts.missing.size(),
          own.rebuilt().or(parts::rebuilt));
    }

    @Override
    public void close() {
      if (embedder != null) {
        embedder.close();
      }
    }
  }

  /**
   * Texts with the cache of their vectors; used by one thread at a time, as the embedder calls its
   * sink.
   */
  private final class Texts {
    private final EmbeddingCache cache;
    private final List<Long> offsets;
    private final List<String> texts;
    private final Optional<EmbedderSource.ForMany> forMany;
    private final List<TextKey> keys = new ArrayList<>();
    private final Map<TextKey, float[]> known = new HashMap<>();
    private final Map<TextKey, String> missing = new LinkedHashMap<>();

    /** Of the vectors: part of their keys. */
    private String id;

    private int reused;
    private int embedded;
    private final Saving saving;
    private final CacheContents cached;

    /** Of the whole cache on disk. */
    private List<CacheRow> published;

    private Journal journal;

    /** Vectors in the journal. */
    private int waiting;

    private final Map<TextKey, float[]> unsaved = new LinkedHashMap<>();
    private long due = nanoTime.getAsLong() + BATCH_TIME.toNanos();

    /**
     * @param offsets in the log, rising, one per text
     */
    Texts(
        EmbeddingCache cache,
        List<Long> offsets,
        List<String> texts,
        Optional<EmbedderSource.ForMany> forMany,
        Saving saving) {
      this.cache = cache;
      this.offsets = offsets;
      this.saving = saving;
      this.cached = cache.read();
      this.texts = texts;
      this.forMany = forMany;
      List<String> ids = new ArrayList<>(List.of(source.id()));
      forMany.ifPresent(other -> ids.add(other.id()));
      lookUp(cached.id(ids, texts.stream()));
      this.published = cached.rows();
      this.journal = cached.journal();
      this.waiting = journal.vectors().size();
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
        cached.vector(key).ifPresentOrElse(v -> known.put(key, v), () -> missing.put(key, text));
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
            permit.run();
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

    Optional<String> rebuilt() {
      return Optional.of(cached.reason())
          .filter(reason -> cached.state() == CacheContents.State.UNUSABLE);
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
      return waiting + unsaved.size() >= published.size() || !cache.takesMore(journal);
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
        throw Failure.io(
            ExitCode.WRITE,
            "save the vectors in the knowledge base",
            e,
            "Nothing was lost; mend that and run again");
      }
    }

    /**
     * Of live entries only, those that have a vector: the log is in offset order, and so is the
     * cache.
     */
    private List<CacheRow> rows() {
      List<CacheRow> rows = new ArrayList<>(keys.size());
      for (int i = 0; i < keys.size(); i++) {
        float[] vector = known.get(keys.get(i));
        if (vector != null) {
          rows.add(new CacheRow(offsets.get(i), keys.get(i), vector));
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

  /** What a run may write into a knowledge base. */
  public enum Saving {
    NOTHING,
    /** New vectors go to the journal; {@code embeddings.bin} follows when enough of them wait. */
    JOURNAL,
    /** When the run ends, {@code embeddings.bin} holds all vectors. */
    PUBLISHED
  }
}
