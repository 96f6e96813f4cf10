package dev.helixbg.daemon.search;

import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.EmbedderSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Answers searches of many clients. Each KB has its own {@link SearchWorker}, so that no client
 * waits while another KB is read.
 */
public final class SearchService implements AutoCloseable {
  /** Longest wait for an answer, a little shorter than the wait of the commands that search. */
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(55);

  // Workers use these fields.
  final EmbedderSource embedder;
  final Function<Kb, KbStore> stores;
  final DaemonMetrics metrics;

  /** Workers by KB; the map is its own lock. */
  private final Map<Kb, SearchWorker> workers = new HashMap<>();

  private boolean closed;

  public SearchService(
      EmbedderSource embedder, Function<Kb, KbStore> stores, DaemonMetrics metrics) {
    this.embedder = embedder;
    this.stores = stores;
    this.metrics = metrics;
  }

  /**
   * Returns the entries nearest to a text, by meaning and words.
   *
   * @throws Failure with {@link ExitCode#BUSY} when the search takes longer than about a minute
   * @throws InterruptedException when interrupted; the search is then cancelled
   */
  public SearchAnswer search(Kb kb, SearchRequest request) throws InterruptedException {
    CompletableFuture<SearchAnswer> answer = worker(kb).ask(request);
    try {
      return answer.get(ANSWER_WITHIN.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new Failure(ExitCode.BUSY, "the machine is too busy to search; try again");
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    } finally {
      answer.cancel(false);
    }
  }

  /** Starts to read a KB and to load the model for queries, before the first search. */
  public void prepare(Kb kb) {
    worker(kb).prepare();
  }

  private SearchWorker worker(Kb kb) {
    synchronized (workers) {
      if (closed) {
        throw SearchWorker.stopping();
      }
      return workers.computeIfAbsent(kb, k -> new SearchWorker(k, this));
    }
  }

  public void forgetAll() {
    synchronized (workers) {
      workers.values().forEach(SearchWorker::forget);
    }
  }

  @Override
  public void close() {
    synchronized (workers) {
      closed = true;
      workers.values().forEach(SearchWorker::close);
    }
  }
}
