package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Updates the vectors of a KB's live entries, and of the passages of long entries. The vector of a
 * known text comes from the store. The model embeds only the other texts, and is opened only if
 * there are any. Each step saves its vectors, and the model stays open for the next step.
 *
 * <p>Entries are embedded before passages, and newer entries before older entries. A batch never
 * mixes entries and passages, because the last bits of a vector depend on the texts of its batch.
 */
public final class EmbeddingStage implements AutoCloseable {
  /** Number of texts between two checks whether a first look is due. */
  static final int NEWEST_TEXTS = 256;

  private final Database store;
  private final EmbedderSource source;
  private final Progress.Display display;
  private final LongSupplier nanoTime;
  private final LogReading log;
  private final List<Integer> owners = new ArrayList<>();
  private final List<Passage> passages = new ArrayList<>();

  private TextVectors own;

  private TextVectors parts;

  /** The open models, by the id of their embedding method. */
  private final Map<String, Embedder> models = new HashMap<>();

  public EmbeddingStage(
      Database store, EmbedderSource source, Progress.Display display, LogReading log) {
    this(store, source, display, System::nanoTime, log);
  }

  EmbeddingStage(
      Database store,
      EmbedderSource source,
      Progress.Display display,
      LongSupplier nanoTime,
      LogReading log) {
    this.store = store;
    this.source = source;
    this.display = display;
    this.nanoTime = nanoTime;
    this.log = log;
    // In parallel, since entries and passages have about the same amount of text to hash.
    List<TextVectors> both =
        ParallelLoop.map("texts", 2, 2, i -> i == 0 ? ofEntries() : ofPassages());
    this.own = both.getFirst();
    this.parts = both.getLast();
  }

  /**
   * The entries that have a vector by now.
   *
   * @param embedded number of distinct texts that were embedded
   * @param passagesLeft number of distinct passages of these entries that have no vector yet
   */
  public record Result(KbEntries entries, int embedded, int passagesLeft) {}

  private TextVectors ofEntries() {
    List<Entry> all = log.entries();
    List<String> texts = all.stream().map(Entry::embeddedText).toList();
    return new TextVectors(
        VectorStore.ofEntries(store), texts, newestFirst(all), source, source.otherWay(false));
  }

  /** Returns the indices of the entries, newest first; if times are equal, the last entry first. */
  private static int[] newestFirst(List<Entry> all) {
    return IntStream.range(0, all.size())
        .map(i -> all.size() - 1 - i)
        .boxed()
        .sorted(Comparator.comparingInt((Integer i) -> all.get(i).timestampMin()).reversed())
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private TextVectors ofPassages() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < log.entries().size(); i++) {
      Entry entry = log.entries().get(i);
      for (Passage passage : Passage.of(entry, source.maxTokens())) {
        owners.add(i);
        passages.add(passage);
        texts.add(passage.embeddedText(entry, source.maxTokens()));
      }
    }
    int[] order = IntStream.range(0, texts.size()).toArray();
    return new TextVectors(
        VectorStore.ofPassages(store), texts, order, source, source.otherWay(true));
  }

  /** Returns the id of the method that computes the entries' vectors. */
  public String way() {
    return own.way();
  }

  /** Embeds entries and passages; if interrupted, the vectors made so far are saved. */
  public void run() throws InterruptedException {
    embedEntries();
    embedPassages();
  }

  int passagesLeft() {
    return parts.left();
  }

  /**
   * Embeds entries for the duration {@code time}, the newest entries first. Then embeds the rest,
   * too, if that takes no longer than the finished part. Returns whether all entries have a vector.
   */
  boolean embedNewest(Duration time) throws InterruptedException {
    embed(own, "Embedding", time);
    return own.left() == 0;
  }

  void embedEntries() throws InterruptedException {
    embed(own, "Embedding", null);
  }

  void embedPassages() throws InterruptedException {
    embed(parts, "Embedding passages", null);
  }

  /** Embeds texts; after {@code time} (null: never), stops if more than half the work is left. */
  private void embed(TextVectors texts, String what, Duration time) throws InterruptedException {
    if (texts.left() > 0) {
      long start = nanoTime.getAsLong(); // includes the time of a speed trial
      texts.chooseWay();
      Embedder model = models.computeIfAbsent(texts.way(), id -> texts.open());
      long work = texts.workLeft();
      try (Progress progress = display.begin(what, texts.left(), work)) {
        if (time == null || embedUntil(start + time.toNanos(), texts, model, progress)) {
          texts.embed(model, progress, Integer.MAX_VALUE);
        }
      }
    }
    texts.end();
  }

  /**
   * Embeds texts until {@code end}. Returns whether the rest takes no longer than the finished
   * part.
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

  /** Saves the positions of a log's vectors for later searches, if all texts have vectors. */
  public void keepLayout(String logSha256) {
    if (own.left() > 0 || parts.left() > 0) {
      return;
    }
    Optional<int[]> ofEntries = VectorStore.ofEntries(store).places(own.keys());
    Optional<int[]> ofPassages = VectorStore.ofPassages(store).places(parts.keys());
    if (ofEntries.isPresent() && ofPassages.isPresent()) {
      int[] owning = owners.stream().mapToInt(Integer::intValue).toArray();
      new KbLayout(own.way(), own.names(), ofEntries.get(), owning, passages, ofPassages.get())
          .keep(store, logSha256, source.ids(), source.maxTokens());
    }
  }

  public Result result() {
    int entries = log.entries().size();
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
        left.add(parts.keys().get(i));
      } else if (present.get(owner)) {
        knownOwners.add(places[owner]);
        known.add(passages.get(i));
        vectors.add(vector);
      }
    }
    Iterator<TextKey> next = own.names().iterator();
    List<NamedEntry> all = NamedEntry.all(log.entries(), _ -> next.next().hex());
    return new Result(
        new KbEntries(
            ownVectors.size() == entries ? all : present.stream().mapToObj(all::get).toList(),
            Vectors.of(ownVectors),
            PassageVectors.of(knownOwners, List.copyOf(known), vectors),
            log.account(),
            new Coverage(whole.cardinality(), entries),
            own.way()),
        own.embedded() + parts.embedded(),
        left.size());
  }

  @Override
  public void close() {
    own = null;
    parts = null;
    models.values().forEach(Embedder::close);
  }
}
