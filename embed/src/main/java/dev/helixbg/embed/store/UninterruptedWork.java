package dev.helixbg.embed.store;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * File operations on a thread that no other code can interrupt; an interrupt would close a channel
 * in the middle of a write. The caller's interrupt is kept until the work is done.
 */
final class UninterruptedWork {
  private UninterruptedWork() {}

  /** File operations to run. */
  interface FileWork {
    void run() throws IOException;
  }

  static void run(FileWork work) throws IOException {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("files")
        .start(
            () -> {
              try {
                work.run();
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    try {
      done.join(); // keeps the caller's interrupt
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException failed -> throw failed;
        case RuntimeException failed -> throw failed;
        case Error failed -> throw failed;
        default -> throw new AssertionError(e.getCause());
      }
    }
  }
}
