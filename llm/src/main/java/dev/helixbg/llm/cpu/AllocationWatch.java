package dev.helixbg.llm.cpu;

import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * Notices at run time that kernels allocate: a JIT compiler that keeps vectors in objects makes
 * megabytes per token, and the engine ten times slower.
 *
 * <p>The thread's own counter is read once in some forty tokens. What is allocated before kernels
 * are compiled, and now and then by callers, is told from boxing by its amount and by its end.
 */
final class AllocationWatch {
  /** Regions between two looks. */
  static final int WINDOW = 4096;

  /**
   * Bytes per region: a boxing kernel makes some ten times as many, everything else a hundredth.
   */
  private static final long MUCH = 4096;

  private long before = -1;
  private Thread thread;
  private volatile long perRegion;

  /** To be called after each {@link #WINDOW} regions, by the thread that runs them. */
  void look() {
    if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
      return; // a JVM without the counter
    }
    long now = threads.getCurrentThreadAllocatedBytes();
    boolean comparable = thread == Thread.currentThread() && before >= 0 && now >= 0;
    perRegion = comparable ? (now - before) / WINDOW : 0;
    thread = Thread.currentThread();
    before = now;
  }

  /** What is wrong, and what to do; empty while nothing is, and before it is known. */
  Optional<String> trouble() {
    return perRegion < MUCH
        ? Optional.empty()
        : Optional.of(
            "this JVM (%s %s) keeps vectors in objects, %,d KB for each step: the engine is many times slower than it could be; use Temurin 25 with the options of scripts/helix-bg, or start anew"
                .formatted(
                    System.getProperty("java.vm.name"),
                    System.getProperty("java.vm.version"),
                    perRegion >> 10));
  }
}
