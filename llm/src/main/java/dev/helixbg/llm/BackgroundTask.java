package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A part of opening a model, done by a thread of its own while the rest goes on. */
final class BackgroundTask<T> {
  private final String name;
  private final FutureTask<T> future;
  private volatile long nanos = -1;

  private BackgroundTask(String name, Callable<T> work) {
    this.name = name;
    future =
        new FutureTask<>(
            () -> {
              long start = System.nanoTime();
              T result = work.call();
              nanos = System.nanoTime() - start;
              return result;
            });
  }

  /**
   * Starts a daemon thread.
   *
   * @param name of the phase and the thread
   */
  static <T> BackgroundTask<T> start(String name, Callable<T> work) {
    BackgroundTask<T> task = new BackgroundTask<>(name, work);
    Thread.ofPlatform().daemon().name(name).start(task.future);
    return task;
  }

  /** Waits for the result, or throws what the work threw. */
  T await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits for the end, whatever it is. */
  Optional<T> awaitEnd() {
    try {
      return Optional.of(await());
    } catch (RuntimeException e) {
      return Optional.empty(); // Whoever wanted the result was told.
    }
  }

  /** Empty until the result is there. */
  Optional<Phase> phase() {
    return nanos < 0 ? Optional.empty() : Optional.of(new Phase(name, nanos, true));
  }
}
