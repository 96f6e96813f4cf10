package dev.helixbg.daemon.run;

import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.KbLayout;
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
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Brings the vectors of a KB's live entries, and of the passages of long ones, up to date: from the
 * store where the text is known, else from the model, which is opened only when there is something
 * to embed. Each step saves what it makes, and the model stays open for the next. Its thread closes
 * it.
 *
 * <p>Entries are embedded before passages and apart from them, the newest first: batches, and so
 * the last bits of a vector, depend on the texts that are embedded together.
 */
public final class EmbeddingStage implements AutoCloseable {
  /** Texts embedded between two looks at the clock, while a first look at the newest is due. */
  static final int NEWEST_TEXTS = 256;

  private final Database store;
  private final EmbedderSource source;
  private final Progress.Display display;
  private final LongSupplier nanoTime;
  private final int entries;
  private final List<Integer> owners = new ArrayList<>();
  private final List<Passage> passages = new ArrayList<>();
  private final TextVectors own;
  private final TextVectors parts;
  private Embedder embedder;

  /**
   * @param store that remembers vectors
   */
  public EmbeddingStage(
      Database store, EmbedderSource source, Progress.Display display, List<Entry> all) {
    this(store, source, display, System::nanoTime, all);
  }

  EmbeddingStage(
      Database store,
      EmbedderSource source,
      Progress.Display display,
      LongSupplier nanoTime,
      List<Entry> all) {
    this.store = store;
    this.source = source;
    this.display = display;
    this.nanoTime = nanoTime;
    this.entries = all.size();
    // Each reads and hashes about as much text.
    TextVectors[] both = new TextVectors[2];
    ParallelLoop.runToTheEnd(
        "texts", 2, 2, i -> both[i] = i == 0 ? ofEntries(all) : ofPassages(all));
    this.own = both[0];
    this.parts = both[1];
  }

  /**
   * @param keys by which the entries are named, in their order
   * @param present indices of the entries that have a vector; all of them once a run has ended
   * @param vectors one per present entry, in the order of the entries; entries of the same text
   *     share one
   * @param passages of present entries, those that have a vector
   * @param whole present entries all of whose passages have one
   * @param reused distinct texts, of entries and of passages, whose vector was known
   * @param embedded distinct texts that were embedded
   * @param passagesLeft distinct passages of present entries that have no vector yet
   * @param way id of the entries' vectors
   */
  public record Result(
      List<TextKey> keys,
      BitSet present,
      List<float[]> vectors,
      PassageVectors passages,
      int whole,
      int reused,
      int embedded,
      int passagesLeft,
      String way) {

    /** Entries that have no vector yet. */
    int unread() {
      return keys.size() - vectors.size();
    }

    /**
     * The present entries with their vectors.
     *
     * @param log that the update was made for
     */
    public KbEntries of(LogReading log) {
      Iterator<TextKey> next = keys.iterator();
      List<NamedEntry> all = NamedEntry.all(log.entries(), entry -> next.next().hex());
      List<NamedEntry> named = unread() == 0 ? all : present.stream().mapToObj(all::get).toList();
      return new KbEntries(
          named,
          Vectors.of(vectors),
          passages,
          log.account(),
          new Coverage(whole, all.size()),
          way);
    }
  }

  private TextVectors ofEntries(List<Entry> all) {
    List<String> texts = all.stream().map(Entry::embeddedText).toList();
    return new TextVectors(
        VectorStore.ofEntries(store),
        texts,
        newestFirst(all),
        source,
        source.forMany(false),
        nanoTime);
  }

  /** Indices of entries by their time; of one time those first that were appended last. */
  private static int[] newestFirst(List<Entry> all) {
    return IntStream.range(0, all.size())
        .boxed()
        .sorted(
            Comparator.comparingInt((Integer i) -> all.get(i).timestampMin())
                .thenComparing(Comparator.naturalOrder())
                .reversed())
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** Cuts them, too. */
  private TextVectors ofPassages(List<Entry> all) {
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
    return new TextVectors(
        VectorStore.ofPassages(store), texts, order, source, source.forMany(true), nanoTime);
  }

  /** Id of the entries' vectors, as they are known by now. */
  public String way() {
    return own.way();
  }

  /**
   * @throws InterruptedException when interrupted; the vectors made until then are saved
   * @throws dev.helixbg.embed.store.StoreException when the vectors cannot be read or saved
   */
  public Result run() throws InterruptedException {
    embedEntries();
    embedPassages();
    return result();
  }

  /** Distinct passages that have no vector yet. */
  int passagesLeft() {
    return parts.left();
  }

  /**
   * Embeds entries for a while, the newest first; to the end where the rest takes no longer than
   * that.
   *
   * @return whether all entries have a vector
   * @see #run for what this throws
   */
  boolean embedNewest(Duration time) throws InterruptedException {
    embed(own, "Embedding", time);
    return own.left() == 0;
  }

  /**
   * @see #run for what this throws
   */
  void embedEntries() throws InterruptedException {
    embed(own, "Embedding", null);
  }

  /**
   * @see #run for what this throws
   */
  void embedPassages() throws InterruptedException {
    embed(parts, "Embedding passages", null);
  }

  /**
   * @param time after which it stops where much is left; null: never
   */
  private void embed(TextVectors texts, String what, Duration time) throws InterruptedException {
    if (texts.left() > 0) {
      long start = nanoTime.getAsLong(); // a trial of another way takes time, too
      Embedder model = texts.openForMany().orElseGet(this::usual);
      long work = texts.workLeft();
      try (Progress progress = display.begin(what, texts.left(), work)) {
        if (time == null || embedUntil(start + time.toNanos(), texts, model, progress)) {
          texts.embed(model, progress, Integer.MAX_VALUE);
        }
      } catch (InterruptedException e) {
        texts.save();
        throw e;
      }
    }
    texts.end();
  }

  /**
   * @return whether something is left, and takes no longer than what was embedded
   */
  private boolean embedUntil(long end, TextVectors texts, Embedder model, Progress progress)
      throws InterruptedException {
    long work = texts.workLeft();
    while (texts.left() > 0) {
      texts.embed(model, progress, NEWEST_TEXTS);
      if (nanoTime.getAsLong() - end >= 0) {
        return texts.left() > 0 && texts.workLeft() <= work / 2;
      }
    }
    return false;
  }

  private Embedder usual() {
    if (embedder == null) {
      embedder = source.open();
    }
    return embedder;
  }

  /**
   * Keeps where the vectors are for who reads the same log, once all have one.
   *
   * @param log its hash
   */
  public void keepLayout(String log) {
    if (own.left() == 0 && parts.left() == 0) {
      KbLayout.places(VectorStore.ofEntries(store), own.keys())
          .ifPresent(
              vectors ->
                  KbLayout.places(VectorStore.ofPassages(store), parts.keys())
                      .ifPresent(
                          ofPassages ->
                              new KbLayout(
                                      own.way(),
                                      own.names(),
                                      vectors,
                                      owners.stream().mapToInt(Integer::intValue).toArray(),
                                      passages,
                                      ofPassages)
                                  .keep(store, log, source.ids(), source.maxTokens())));
    }
  }

  /** Returns the vectors that are known by now. */
  public Result result() {
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
      if (present.get(owner) && vector == null) {
        whole.clear(owner);
        left.add(parts.key(i));
      } else if (present.get(owner)) {
        knownOwners.add(places[owner]);
        known.add(passages.get(i));
        vectors.add(vector);
      }
    }
    return new Result(
        own.names(),
        present,
        ownVectors,
        PassageVectors.of(knownOwners, List.copyOf(known), vectors),
        whole.cardinality(),
        own.reused() + parts.reused(),
        own.embedded() + parts.embedded(),
        left.size(),
        own.way());
  }

  @Override
  public void close() {
    own.close();
    parts.close();
    if (embedder != null) {
      embedder.close();
    }
  }
}
