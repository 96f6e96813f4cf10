package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A part of opening a model that a thread of its own does beside the rest. */
final class Beside<T> {
  private final String name;
  private final FutureTask<T> task;
  private volatile long nanos = -1;

  private Beside(String name, Callable<T> work) {
    this.name = name;
    task =
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
  static <T> Beside<T> start(String name, Callable<T> work) {
    Beside<T> beside = new Beside<>(name, work);
    Thread.ofPlatform().daemon().name(name).start(beside.task);
    return beside;
  }

  /** Waits for the result, or throws what the work threw. */
  T await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
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
