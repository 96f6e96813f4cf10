package dev.helixbg.llm.bench;

import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Runs the same work on several threads at once, and takes the time. */
final class TimedThreads {
  private TimedThreads() {}

  /** Nanoseconds until all {@code threads} have run {@code work}, which is told which it is. */
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
