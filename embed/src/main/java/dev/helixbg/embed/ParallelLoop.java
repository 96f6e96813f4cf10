package dev.helixbg.embed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Runs the numbered steps of one loop on the calling thread and helper threads, in any order. */
public final class ParallelLoop {

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
   * Runs all steps. After a step has failed, the caller was interrupted, or a helper thread could
   * not be started, no further step begins. The loop then waits for running steps and throws the
   * first failure.
   */
  static void run(int threads, int steps, Step step) throws InterruptedException {
    run(threads, steps, step, helpers("embed-"));
  }

  static void run(int threads, int steps, Step step, ThreadFactory factory)
      throws InterruptedException {
    ParallelLoop loop = new ParallelLoop(steps, step, true);
    loop.run(threads, factory);
    if (loop.failure.get() instanceof InterruptedException e) {
      throw e;
    }
  }

  /**
   * Runs all steps even after an interrupt, which stays set. The steps must be short or check for
   * an interrupt themselves.
   */
  public static void runToTheEnd(String name, int threads, int steps, IntConsumer step) {
    new ParallelLoop(steps, step::accept, false).run(threads, helpers(name + "-"));
  }

  public static <T> List<T> map(String name, int threads, int count, IntFunction<T> value) {
    AtomicReferenceArray<T> values = new AtomicReferenceArray<>(count);
    runToTheEnd(name, threads, count, i -> values.set(i, value.apply(i)));
    return IntStream.range(0, count).mapToObj(values::get).toList();
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
    if (failure.get() == null) { // avoids the pattern switch, whose first use is slow
      return;
    }
    switch (failure.get()) {
      case InterruptedException e -> {} // the caller throws it
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e ->
          throw new EmbeddingException("the embedding model failed: " + e.getMessage(), e);
    }
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
}
