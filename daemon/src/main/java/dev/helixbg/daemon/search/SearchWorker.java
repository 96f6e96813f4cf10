package dev.helixbg.daemon.search;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Faults;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.search.SearchIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The thread that answers searches in one KB: those that wait are compared in one pass over the
 * vectors, so that a crowd costs little more than one. Queries whose vectors are known are answered
 * before the others are embedded.
 */
final class SearchWorker implements AutoCloseable {
  private static final int BATCH = 128;

  /** Only wakes the thread. */
  private static final Asked WAKE = new Asked(null, new CompletableFuture<>());

  /** A search that waits. */
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

  /** Null when it is to be read. Used by the thread only. */
  private SearchIndex index;

  /** Of the log, just before the index was read; the thread's as well. */
  private FileState indexed;

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
    if (closed) { // perhaps after the thread has ended
      asked.fail(stopping());
    }
    return asked.answer();
  }

  /** Lets go of the index: at once, or before the next search. */
  void forget() {
    forget = true;
    waiting.add(WAKE);
  }

  static Failure stopping() {
    return new Failure(ExitCode.BUSY, "the daemon is stopping");
  }

  /** Until it is closed: whatever else goes wrong is told to those who asked. */
  private void work() {
    List<Asked> batch = new ArrayList<>();
    while (!closed) {
      try {
        batch.clear();
        batch.add(waiting.take());
        waiting.drainTo(batch, BATCH - 1);
        dropOldIndex();
        batch.removeIf(asked -> asked == WAKE || asked.answer().isDone()); // its client has left
        if (!batch.isEmpty()) {
          answer(batch);
        }
      } catch (Throwable e) {
        if (!Faults.isExpected(e)) {
          forget = true; // it may be what there is no memory for
        }
        Throwable why = closed ? stopping() : e;
        batch.forEach(asked -> asked.fail(why)); // those that have an answer keep it
      }
    }
    waiting.forEach(asked -> asked.fail(stopping()));
    forget = true;
    dropOldIndex();
  }

  private void dropOldIndex() {
    if (forget) {
      forget = false;
      if (index != null) {
        index.close();
        index = null;
      }
    }
  }

  /** Null when it cannot be looked at: whoever reads it says why. */
  private FileState state() {
    try {
      return FileState.of(kb.dataLog());
    } catch (IOException e) {
      return null;
    }
  }

  /** The entries whose vectors are in the cache: all of them, once a run has ended. */
  private SearchIndex read(EmbedderSource source) {
    KbEntries known =
        KbEntries.read(
            kb.dataLog(), new EmbeddingCache(kb.folder()), source.ids(), source.maxTokens());
    return SearchIndex.of(known, source.maxTokens());
  }

  private void answer(List<Asked> batch) throws InterruptedException {
    EmbedderSource source = service.embedder.get();
    FileState log = state();
    if (index == null || log == null || !log.equals(indexed)) { // it has other names now
      forget = true;
      dropOldIndex();
      index = read(source);
      indexed = log;
    }
    List<Asked> known = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    List<Asked> others = new ArrayList<>();
    for (Asked asked : batch) {
      service
          .remembered(source, asked.text())
          .ifPresentOrElse(
              vector -> {
                known.add(asked);
                vectors.add(vector);
              },
              () -> others.add(asked));
    }
    answer(known, vectors);
    if (!others.isEmpty()) {
      Map<String, float[]> embedded =
          service.embed(source, others.stream().map(Asked::text).distinct().toList());
      answer(others, others.stream().map(asked -> embedded.get(asked.text())).toList());
    }
  }

  private void answer(List<Asked> batch, List<float[]> queries) {
    if (batch.isEmpty()) {
      return;
    }
    List<SearchIndex.Query> asked = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      asked.add(batch.get(i).request().query(queries.get(i)));
    }
    List<List<SearchIndex.Hit>> found = index.search(asked);
    service.metrics.searches.add(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      batch
          .get(i)
          .answer()
          .complete(
              new SearchAnswer(
                  found.get(i).stream().map(SearchHit::of).toList(), index.coverage()));
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
