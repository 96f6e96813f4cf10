package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Work that is not left half done: an interrupt takes effect when it has ended. */
public final class Whole {
  private Whole() {}

  /** Work without a result. */
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  static void run(Work work) throws IOException, InterruptedException {
    of(
        () -> {
          work.run();
          return null;
        });
  }

  /** Does it on a thread of its own, and waits for its end. */
  public static <T> T of(Callable<T> work) throws IOException, InterruptedException {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().name("act").start(task);
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
        case IOException io -> throw io;
        case InterruptedException stopped -> throw stopped;
        case RuntimeException other -> throw other;
        case Error error -> throw error;
        default -> throw new IllegalStateException(e.getCause());
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
