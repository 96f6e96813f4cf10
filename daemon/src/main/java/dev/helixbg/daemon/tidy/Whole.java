package dev.helixbg.daemon.tidy;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Runs work to its end: an interrupt takes effect only afterwards. */
public final class Whole {
  private Whole() {}

  /** Does it on a thread of its own, and waits for its end. */
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
      return done.join(); // keeps an interrupt for later
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
