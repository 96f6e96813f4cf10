package dev.helixbg.daemon.search;

import dev.helixbg.config.Progress;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.run.EmbeddingStage;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.search.SearchIndex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The thread that answers searches in one KB. Waiting searches share one pass over the vectors. The
 * first search uses a small index, which can answer only this search (decision 97); the full index
 * is made for the second, or after a pause.
 */
final class SearchWorker implements AutoCloseable {
  private static final int BATCH = 128;

  /**
   * Time to wait for a second search before the full index is made. A process that searches only
   * once has ended by then.
   */
  static final Duration PAUSE = Duration.ofSeconds(2);

  /** Request that wakes the thread and asks nothing. */
  private static final Asked WAKE = new Asked(null, new CompletableFuture<>());

  /** Request to read the KB. */
  private static final Asked READ = new Asked(null, new CompletableFuture<>());

  private record Asked(SearchRequest request, CompletableFuture<SearchAnswer> answer) {
    String text() {
      return request.text();
    }

    void fail(Throwable why) {
      answer.completeExceptionally(why);
    }
  }

  private final Kb kb;
  private final SearchService service;
  private final BlockingQueue<Asked> waiting = new LinkedBlockingQueue<>();
  private final Thread thread;

  // Only the worker's thread uses the fields below.

  /** Entries that were read; null once {@link #index} contains them. */
  private KbEntries entries;

  /** Id of the method that computed the vectors that were read last. */
  private String way;

  /** Whether a search was answered from {@link #entries}, without the full index. */
  private boolean answered;

  private SearchIndex index;

  /** State of the log and vectors that were read last; null before the first reading. */
  private Indexed indexed;

  /** State of the log, and {@link VectorStore#version} of the vectors. */
  private record Indexed(Optional<FileState> log, int vectors) {}

  private volatile boolean forget;
  private volatile boolean closed;

  SearchWorker(Kb kb, SearchService service) {
    this.kb = kb;
    this.service = service;
    this.thread = Thread.ofPlatform().daemon().name("search").start(this::work);
  }

  CompletableFuture<SearchAnswer> ask(SearchRequest request) {
    Asked asked = new Asked(request, new CompletableFuture<>());
    waiting.add(asked);
    if (closed) { // the thread may have ended already
      asked.fail(stopping());
    }
    return asked.answer();
  }

  void prepare() {
    waiting.add(READ);
  }

  /** Makes the thread release the index, at the latest before the next search. */
  void forget() {
    forget = true;
    waiting.add(WAKE);
  }

  static Failure stopping() {
    return new Failure(ExitCode.BUSY, "the daemon is stopping");
  }

  /** Answers searches until the worker is closed. Passes errors to the callers. */
  private void work() {
    List<Asked> batch = new ArrayList<>();
    while (!closed) {
      try {
        batch.clear();
        batch.add(next());
        waiting.drainTo(batch, BATCH - 1);
        if (forget) {
          forget = false;
          drop();
        }
        if (batch.stream().anyMatch(asked -> asked == READ)) {
          read(service.embedder).openAhead();
        }
        batch.removeIf(
            asked -> asked == WAKE || asked == READ || asked.answer().isDone()); // cancelled
        if (!batch.isEmpty()) {
          answer(batch);
        }
      } catch (Throwable e) {
        if (!ErrorReporter.isExpected(e)) {
          forget = true; // the index may have exhausted the memory
        }
        Throwable why = closed ? stopping() : e;
        batch.forEach(asked -> asked.fail(why)); // answers that are finished stay as they are
      }
    }
    waiting.forEach(asked -> asked.fail(stopping()));
    drop();
  }

  /** Waits for the next search, and makes the full index in a pause. */
  private Asked next() throws InterruptedException {
    if (answered && index == null && !forget) {
      Asked asked = waiting.poll(PAUSE.toNanos(), TimeUnit.NANOSECONDS);
      if (asked != null) {
        return asked;
      }
      answered = false; // if this index fails, it is tried again only after another search
      index(service.embedder);
    }
    return waiting.take();
  }

  private void drop() {
    answered = false;
    entries = null;
    if (index != null) {
      index.close();
      index = null;
    }
  }

  /**
   * If the log or the vectors have changed, reads the entries that have a vector. Returns the
   * embedder for queries that are compared with these vectors.
   */
  private EmbedderSource read(EmbedderSource source) {
    KbStore known = service.stores.apply(kb);
    Database store = known.database();
    Indexed now = new Indexed(KbFiles.DISK.stateOrNone(kb.dataLog()), VectorStore.version(store));
    boolean isRead = entries != null || index != null;
    if (!isRead || now.log().isEmpty() || !now.equals(indexed)) {
      drop();
      entries =
          known
              .entriesAsKept(source.ids(), source.maxTokens())
              .orElseGet(() -> entries(store, source));
      way = entries.way();
      indexed = now;
    }
    return source.forQueries(way);
  }

  private KbEntries entries(Database store, EmbedderSource source) {
    LogReading log = DataLog.read(kb.dataLog());
    try (EmbeddingStage stages = new EmbeddingStage(store, source, Progress.Display.SILENT, log)) {
      return stages.result().entries();
    }
  }

  private void index(EmbedderSource source) {
    if (index == null) {
      index = SearchIndex.of(entries, source.maxTokens());
      entries = null;
    }
  }

  private void answer(List<Asked> batch) throws InterruptedException {
    EmbedderSource source = service.embedder;
    EmbedderSource queries = read(source);
    List<String> texts = batch.stream().map(Asked::text).distinct().toList();
    if (index == null && !answered && texts.size() == 1) {
      answered = true;
      try (SearchIndex once = SearchIndex.forOne(entries, source.maxTokens(), texts.getFirst())) {
        answer(batch, queries, once);
      }
    } else {
      index(source);
      answer(batch, queries, index);
    }
  }

  private void answer(List<Asked> batch, EmbedderSource source, SearchIndex all)
      throws InterruptedException {
    List<String> texts = batch.stream().map(Asked::text).distinct().toList();
    Map<String, float[]> vectors = new HashMap<>();
    try (Embedder open = source.open()) {
      open.embed(texts, (i, vector) -> vectors.put(texts.get(i), vector));
    }
    List<SearchIndex.Query> queries =
        batch.stream()
            .map(Asked::request)
            .map(
                asked ->
                    new SearchIndex.Query(
                        asked.text(),
                        vectors.get(asked.text()),
                        asked.topic(),
                        asked.from(),
                        asked.limit()))
            .toList();
    List<List<SearchIndex.Hit>> found = all.search(queries);
    service.metrics.searches.add(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).answer().complete(new SearchAnswer(found.get(i), all.coverage()));
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
