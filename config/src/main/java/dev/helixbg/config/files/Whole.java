package dev.helixbg.config.files;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Runs work to its end, on a separate thread that no other code can interrupt. If the calling
 * thread is interrupted, it still waits for the work, and its interrupt status stays set.
 */
public final class Whole {
  private Whole() {}

  public static <T> T of(Callable<T> work) throws IOException, InterruptedException {
    CompletableFuture<T> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("whole")
        .start(
            () -> {
              try {
                done.complete(work.call());
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    try {
      return done.join(); // does not react to an interrupt
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException io -> throw io;
        case InterruptedException stopped -> throw stopped;
        case RuntimeException other -> throw other;
        case Error error -> throw error;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }
}
