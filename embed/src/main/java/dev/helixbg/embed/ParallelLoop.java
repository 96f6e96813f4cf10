package dev.helixbg.embed;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Runs the numbered steps of one loop on the calling thread and some helpers, in any order. */
public final class ParallelLoop {

  /** One step; what it throws ends the loop. */
  public interface Step {
    void run(int index) throws InterruptedException;
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
   * Returns when all steps are done. After a failure or an interrupt no further step begins, those
   * that run are waited for, and the first cause is thrown.
   *
   * @param name of the helpers
   */
  public static void run(String name, int threads, int steps, Step step)
      throws InterruptedException {
    ParallelLoop loop = new ParallelLoop(steps, step, true);
    loop.run(name, threads);
    if (loop.failure.get() instanceof InterruptedException e) {
      throw e;
    }
  }

  /** The same for steps that are done soon: an interrupt of the caller is kept for later. */
  public static void runToTheEnd(String name, int threads, int steps, IntConsumer step) {
    new ParallelLoop(steps, step::accept, false).run(name, threads);
  }

  private void run(String name, int threads) {
    Thread[] helpers = new Thread[Math.max(0, Math.min(threads, steps) - 1)];
    for (int i = 0; i < helpers.length; i++) {
      helpers[i] = Thread.ofPlatform().daemon().name(name + "-" + (i + 1)).start(this::work);
    }
    work();
    boolean interrupted = false;
    for (Thread helper : helpers) {
      interrupted |= wasInterruptedAwaiting(helper);
    }
    if (interrupted && !interruptible) {
      Thread.currentThread().interrupt();
    }
    switch (failure.get()) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
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

  private boolean wasInterruptedAwaiting(Thread helper) {
    boolean interrupted = false;
    while (true) {
      try {
        helper.join();
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
        if (interruptible) {
          failure.compareAndSet(null, e);
        }
      }
    }
  }
}
