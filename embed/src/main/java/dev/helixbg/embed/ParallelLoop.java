package dev.helixbg.embed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Runs the numbered steps of one loop on the calling thread and some helpers, in any order. */
public final class ParallelLoop {

  /** One step. */
  interface Step {
    void run(int index) throws Exception;
  }

  private final int steps;
  private final Step step;
  private final boolean interruptible;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private ParallelLoop(int steps, Step step, boolean interruptible) {
    this.steps = steps;
    this.step = step;
    this.interruptible = interruptible;
  }

  /**
   * Returns when all steps are done. After a failure, an interrupt, or when the system has no
   * thread for it, no further step begins, those that run are waited for, and the first cause is
   * thrown.
   */
  static void run(int threads, int steps, Step step) throws InterruptedException {
    run(threads, steps, step, helpers("embed-"));
  }

  /** The same with threads of its own. */
  static void run(int threads, int steps, Step step, ThreadFactory factory)
      throws InterruptedException {
    ParallelLoop loop = new ParallelLoop(steps, step, true);
    loop.run(threads, factory);
    if (loop.failure.get() instanceof InterruptedException e) {
      throw e;
    }
  }

  /**
   * The same for steps that end soon, or look for an interrupt themselves: one of the caller is
   * kept for later.
   *
   * @param name of the helpers
   */
  public static void runToTheEnd(String name, int threads, int steps, IntConsumer step) {
    new ParallelLoop(steps, step::accept, false).run(threads, helpers(name + "-"));
  }

  private static ThreadFactory helpers(String prefix) {
    return Thread.ofPlatform().daemon().name(prefix, 1).factory();
  }

  private void run(int threads, ThreadFactory factory) {
    List<CompletableFuture<Void>> helpers = new ArrayList<>();
    try {
      for (int i = 1; i < Math.min(threads, steps); i++) {
        helpers.add(
            CompletableFuture.runAsync(this::work, work -> factory.newThread(work).start()));
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
    work();
    helpers.forEach(CompletableFuture::join); // keeps the caller's interrupt
    if (interruptible && Thread.interrupted()) {
      failure.compareAndSet(null, new InterruptedException());
    }
    rethrow();
  }

  private void work() {
    try {
      for (int i; failure.get() == null && (i = next.getAndIncrement()) < steps; ) {
        if (interruptible && Thread.interrupted()) {
          throw new InterruptedException();
        }
        step.run(i);
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /** All but an interrupt. */
  private void rethrow() {
    if (failure.get() == null) { // a young JVM takes long to get such a switch ready
      return;
    }
    switch (failure.get()) {
      case InterruptedException e -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e ->
          throw new EmbeddingException("the embedding model failed: " + e.getMessage(), e);
    }
  }
}
