package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Runs work to its end; an interrupt takes effect only after the end. */
public final class Whole {
  private Whole() {}

  public static <T> T of(Callable<T> work) throws IOException, InterruptedException {
    CompletableFuture<T> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("act")
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
