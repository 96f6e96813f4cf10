package dev.helixbg.daemon.search;

import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.Embedder;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers searches of many clients, each KB by a {@link SearchWorker} of its own, so that no client
 * waits while another KB is read. Queries that were asked lately are not embedded again.
 */
public final class SearchService implements AutoCloseable {
  private static final int REMEMBERED = 2_000;

  /** Longest wait for an answer: a little less than the command waits. */
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(55);

  // Workers look at these.
  final Supplier<EmbedderSource> embedder;
  final Function<Kb, KbStore> stores;
  final DaemonMetrics metrics;

  /** Guarded by itself. */
  private final Map<Kb, SearchWorker> workers = new HashMap<>();

  private boolean closed;

  /** By model and text; least lately asked first. Guarded by itself. */
  private final Map<String, float[]> remembered =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, float[]> eldest) {
          return size() > REMEMBERED;
        }
      };

  public SearchService(
      Supplier<EmbedderSource> embedder, Function<Kb, KbStore> stores, DaemonMetrics metrics) {
    this.embedder = embedder;
    this.stores = stores;
    this.metrics = metrics;
  }

  /**
   * The entries that mean and say most of what a text does.
   *
   * @throws Failure with {@link ExitCode#BUSY} when that takes more than a minute, or another
   *     exception of reading the KB and embedding
   * @throws InterruptedException when cancelled; the search then ends
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

  /**
   * Begins to read a KB and to load the model of queries, beside whatever else is to be done before
   * it is searched.
   */
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

  /**
   * Releases what is held for quick answers, after KBs have changed or a long time without
   * searches.
   */
  public void forgetAll() {
    synchronized (workers) {
      workers.values().forEach(SearchWorker::forget);
    }
  }

  /** The vector of a query that was asked lately. */
  Optional<float[]> remembered(EmbedderSource source, String text) {
    synchronized (remembered) {
      return Optional.ofNullable(remembered.get(key(source, text)));
    }
  }

  /** The vectors of queries, by their texts. */
  Map<String, float[]> embed(EmbedderSource source, List<String> texts)
      throws InterruptedException {
    Map<String, float[]> vectors = new HashMap<>();
    try (Embedder open = source.open()) {
      open.embed(texts, (i, vector) -> vectors.put(texts.get(i), vector));
    }
    synchronized (remembered) {
      vectors.forEach((text, vector) -> remembered.put(key(source, text), vector));
    }
    return vectors;
  }

  private static String key(EmbedderSource source, String text) {
    return source.id() + " " + text;
  }

  @Override
  public void close() {
    synchronized (workers) {
      closed = true;
      workers.values().forEach(SearchWorker::close);
    }
  }
}
