package dev.helixbg.llm.bench;

import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Runs the same work on several threads in parallel, and measures the time. */
final class TimedThreads {
  private TimedThreads() {}

  /** Returns the nanoseconds until each thread has run {@code work} with its index. */
  static long nanos(int threads, IntConsumer work) {
    long start = System.nanoTime();
    Thread[] all =
        IntStream.range(0, threads)
            .mapToObj(i -> Thread.ofPlatform().start(() -> work.accept(i)))
            .toArray(Thread[]::new);
    try {
      for (Thread thread : all) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return System.nanoTime() - start;
  }
}
