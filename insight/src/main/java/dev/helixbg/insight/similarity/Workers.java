package dev.helixbg.insight.similarity;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Runs one job on several threads at once, the caller's among them. */
final class Workers {
  private Workers() {}

  /**
   * Returns when every job has ended. An interrupt of the caller is kept for later: jobs are short.
   *
   * @throws RuntimeException or Error, the first one that a job threw
   */
  static void run(List<? extends Runnable> jobs) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (Runnable job : jobs.subList(1, jobs.size())) {
      threads.add(Thread.ofPlatform().daemon().name("similarity").start(() -> run(job, failure)));
    }
    run(jobs.getFirst(), failure);
    threads.forEach(Workers::await);
    switch (failure.get()) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }

  private static void run(Runnable job, AtomicReference<Throwable> failure) {
    try {
      job.run();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  private static void await(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
