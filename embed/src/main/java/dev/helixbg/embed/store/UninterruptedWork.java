package dev.helixbg.embed.store;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * File operations on a thread that no other code knows, since an interrupt closes a channel in the
 * middle of a line or a file. The caller's interrupt is kept until they are done.
 */
final class UninterruptedWork {
  private UninterruptedWork() {}

  /** Work on files. */
  interface FileWork {
    void run() throws IOException;
  }

  static void run(FileWork work) throws IOException {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              work.run();
              return null;
            });
    Thread.ofPlatform().name("files").start(task);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          task.get();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case IOException failed -> throw failed;
        case RuntimeException failed -> throw failed;
        case Error failed -> throw failed;
        default -> throw new AssertionError(e.getCause());
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
