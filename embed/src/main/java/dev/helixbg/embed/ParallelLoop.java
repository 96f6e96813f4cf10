package dev.helixbg.embed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Runs the numbered steps of one loop on the calling thread and some helpers, in any order. */
final class ParallelLoop {

  interface Step {
    void run(int index) throws Exception;
  }

  private final int steps;
  private final Step step;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private ParallelLoop(int steps, Step step) {
    this.steps = steps;
    this.step = step;
  }

  /**
   * Returns when all steps are done. After a failure, an interrupt, or when the system has no
   * thread for it, no further step begins, those that run are waited for, and the first cause is
   * thrown.
   */
  static void run(int threads, int steps, Step step) throws InterruptedException {
    run(threads, steps, step, Thread.ofPlatform().daemon().name("embed-", 1).factory());
  }

  /** The same with threads of its own. */
  static void run(int threads, int steps, Step step, ThreadFactory factory)
      throws InterruptedException {
    ParallelLoop loop = new ParallelLoop(steps, step);
    List<Thread> helpers = new ArrayList<>();
    try {
      for (int i = 1; i < Math.min(threads, steps); i++) {
        Thread helper = factory.newThread(loop::work);
        helper.start();
        helpers.add(helper);
      }
    } catch (Throwable e) {
      loop.failure.compareAndSet(null, e);
    }
    loop.work();
    helpers.forEach(loop::await);
    loop.rethrow();
  }

  private void work() {
    try {
      for (int i; failure.get() == null && (i = next.getAndIncrement()) < steps; ) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        step.run(i);
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private void await(Thread helper) {
    while (true) {
      try {
        helper.join();
        return;
      } catch (InterruptedException e) {
        failure.compareAndSet(null, e);
      }
    }
  }

  private void rethrow() throws InterruptedException {
    switch (failure.get()) {
      case null -> {}
      case InterruptedException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e ->
          throw new EmbeddingException("the embedding model failed: " + e.getMessage(), e);
    }
  }
}
