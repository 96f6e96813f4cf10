package dev.helixbg.llm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** A task that is part of opening a model and runs on a separate thread. */
final class BackgroundTask<T> {
  private final CompletableFuture<T> future;

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

  /** Waits for the work and returns its result; throws the work's exception if the work failed. */
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

  void awaitEnd() {
    future.handle((result, failure) -> result).join();
  }
}
