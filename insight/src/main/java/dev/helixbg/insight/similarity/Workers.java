package dev.helixbg.insight.similarity;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;

/** Runs one job on several threads at once, the caller's among them. */
final class Workers {
  private static final ThreadFactory THREADS =
      Thread.ofPlatform().daemon().name("similarity").factory();

  private Workers() {}

  /**
   * Returns when every job has ended, also when the system has no thread for some: what a job works
   * on may be freed then. An interrupt of the caller is kept for later: jobs are short, or look for
   * it.
   *
   * @throws RuntimeException or Error, the first one that a job threw, or the lack of a thread
   */
  static void run(List<? extends Runnable> jobs) {
    run(jobs, THREADS);
  }

  /** The same with threads of its own. */
  static void run(List<? extends Runnable> jobs, ThreadFactory factory) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    run(
        () -> {
          for (Runnable job : jobs.subList(1, jobs.size())) {
            Thread thread = factory.newThread(() -> run(job, failure));
            thread.start();
            threads.add(thread);
          }
          jobs.getFirst().run();
        },
        failure);
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
