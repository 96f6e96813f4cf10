package dev.helixbg.daemon;

import dev.helixbg.embed.Embedder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Answers searches of many clients: those that wait are embedded as one batch and compared in one
 * pass over the vectors, so that a crowd costs little more than one. Queries that were asked lately
 * are not embedded again.
 */
final class SearchService implements AutoCloseable {
  private static final int BATCH = 64;
  private static final int REMEMBERED = 2_000;

  /** A search that waits. */
  private record Asked(Kb kb, String text, int limit, CompletableFuture<List<SearchHit>> answer) {}

  private final Supplier<EmbedderSource> embedder;
  private final DaemonMetrics metrics;
  private final BlockingQueue<Asked> waiting = new LinkedBlockingQueue<>();
  private final Thread worker;

  /** Guarded by itself. */
  private final Map<Kb, SearchIndex> indices = new HashMap<>();

  /** By model and text; least lately asked first. Used by the worker only. */
  private final Map<String, float[]> remembered =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, float[]> eldest) {
          return size() > REMEMBERED;
        }
      };

  SearchService(Supplier<EmbedderSource> embedder, DaemonMetrics metrics) {
    this.embedder = embedder;
    this.metrics = metrics;
    this.worker = Thread.ofPlatform().daemon().name("search").start(this::work);
  }

  /**
   * The entries nearest to a text.
   *
   * @throws Failure or another exception of reading the KB and embedding
   */
  List<SearchHit> search(Kb kb, String text, int limit) throws InterruptedException {
    Asked asked = new Asked(kb, text, limit, new CompletableFuture<>());
    waiting.add(asked);
    try {
      return asked.answer().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException fault) {
        throw fault;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** The KB has changed. */
  void forget(Kb kb) {
    synchronized (indices) {
      close(indices.remove(kb));
    }
  }

  /** Gives back what is held for quick answers. */
  void forgetAll() {
    synchronized (indices) {
      indices.values().forEach(SearchService::close);
      indices.clear();
    }
  }

  private static void close(SearchIndex index) {
    if (index != null) {
      index.close();
    }
  }

  private void work() {
    List<Asked> batch = new ArrayList<>();
    while (true) {
      batch.clear();
      try {
        batch.add(waiting.take());
        waiting.drainTo(batch, BATCH - 1);
        batch.stream().collect(Collectors.groupingBy(Asked::kb)).forEach(this::answer);
      } catch (InterruptedException e) {
        batch.forEach(asked -> fail(asked, new Failure(ExitCode.BUSY, "the daemon is stopping")));
        return;
      }
    }
  }

  private void answer(Kb kb, List<Asked> batch) {
    try {
      EmbedderSource source = embedder.get();
      List<float[]> queries = embed(source, batch);
      List<Integer> limits = batch.stream().map(Asked::limit).toList();
      List<List<SearchHit>> found;
      synchronized (indices) {
        found =
            indices
                .computeIfAbsent(kb, k -> SearchIndex.read(k, source.id()))
                .search(queries, limits);
      }
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).answer().complete(found.get(i));
      }
      metrics.searches.add(batch.size());
    } catch (InterruptedException e) {
      batch.forEach(asked -> fail(asked, new Failure(ExitCode.BUSY, "the daemon is stopping")));
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      batch.forEach(asked -> fail(asked, e));
    }
  }

  private static void fail(Asked asked, RuntimeException why) {
    asked.answer().completeExceptionally(why);
  }

  private List<float[]> embed(EmbedderSource source, List<Asked> batch)
      throws InterruptedException {
    String model = source.id() + " ";
    List<String> missing =
        batch.stream()
            .map(Asked::text)
            .filter(text -> !remembered.containsKey(model + text))
            .distinct()
            .toList();
    if (!missing.isEmpty()) {
      try (Embedder open = source.open()) {
        open.embed(missing, (i, vector) -> remembered.put(model + missing.get(i), vector));
      }
    }
    return batch.stream().map(asked -> remembered.get(model + asked.text())).toList();
  }

  @Override
  public void close() {
    worker.interrupt();
    forgetAll();
  }
}
