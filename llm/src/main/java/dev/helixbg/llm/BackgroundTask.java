package dev.helixbg.llm;

import dev.helixbg.llm.ModelOpener.LoadReport.Phase;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** A part of opening a model, done by a thread of its own while the rest goes on. */
final class BackgroundTask<T> {
  private final String name;
  private final CompletableFuture<T> future;
  private volatile long nanos = -1;

  /**
   * Starts a daemon thread.
   *
   * @param name of the phase and the thread
   */
  BackgroundTask(String name, Supplier<T> work) {
    this.name = name;
    future =
        CompletableFuture.supplyAsync(
            () -> {
              long start = System.nanoTime();
              T result = work.get();
              nanos = System.nanoTime() - start;
              return result;
            },
            task -> Thread.ofPlatform().daemon().name(name).start(task));
  }

  static BackgroundTask<Void> run(String name, Runnable work) {
    return new BackgroundTask<>(
        name,
        () -> {
          work.run();
          return null;
        });
  }

  /** Waits for the result, or throws what the work threw. */
  T await() {
    try {
      return future.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw e;
      }
    }
  }

  /** Waits for the end, whatever it is: whoever wanted the result is told by {@link #await}. */
  void awaitEnd() {
    future.handle((result, failure) -> result).join();
  }

  /** Empty until the result is there. */
  Optional<Phase> phase() {
    return nanos < 0 ? Optional.empty() : Optional.of(new Phase(name, nanos, true));
  }
}
