package dev.helixbg.llm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** A part of opening a model, done by a thread of its own while the rest goes on. */
final class BackgroundTask<T> {
  private final CompletableFuture<T> future;

  /**
   * Starts a daemon thread.
   *
   * @param name of the thread
   */
  BackgroundTask(String name, Supplier<T> work) {
    future =
        CompletableFuture.supplyAsync(
            work, task -> Thread.ofPlatform().daemon().name(name).start(task));
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

  /**
   * Waits for the end, success or failure; {@link #await} tells the caller that wants the result.
   */
  void awaitEnd() {
    future.handle((result, failure) -> result).join();
  }
}
