package dev.helixbg.llm.bench;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** How fast this machine reads memory: what decoding, which reads every weight, cannot exceed. */
final class MemoryCeiling {
  private static final int ROUNDS = 2;
  private static final int STEP = 64;
  private static final long MOST_BYTES_PER_THREAD = 1 << 30;

  private MemoryCeiling() {}

  /**
   * GB per second of the best of several rounds over {@code bytes}, each thread reading a part.
   *
   * @param bytes much larger than the caches, or the caches are measured
   */
  static double gigabytesPerSecond(MemorySegment bytes, int threads) {
    long part = Math.min(bytes.byteSize() / threads / STEP * STEP, MOST_BYTES_PER_THREAD);
    AtomicLong sink = new AtomicLong();
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      Thread[] readers =
          IntStream.range(0, threads)
              .mapToObj(i -> bytes.asSlice(i * part, part))
              .map(slice -> Thread.ofPlatform().start(() -> sink.addAndGet(sum(slice))))
              .toArray(Thread[]::new);
      join(readers);
      best = Math.max(best, (double) part * threads / (System.nanoTime() - start));
    }
    return best;
  }

  /** Eight independent sums, so that the processor waits for memory and nothing else. */
  private static long sum(MemorySegment bytes) {
    ValueLayout.OfLong layout = ValueLayout.JAVA_LONG_UNALIGNED;
    int steps = (int) (bytes.byteSize() / STEP);
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    long e = 0;
    long f = 0;
    long g = 0;
    long h = 0;
    for (int i = 0; i < steps; i++) {
      long at = (long) i * STEP;
      a += bytes.get(layout, at);
      b += bytes.get(layout, at + 8);
      c += bytes.get(layout, at + 16);
      d += bytes.get(layout, at + 24);
      e += bytes.get(layout, at + 32);
      f += bytes.get(layout, at + 40);
      g += bytes.get(layout, at + 48);
      h += bytes.get(layout, at + 56);
    }
    return a + b + c + d + e + f + g + h;
  }

  private static void join(Thread[] threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
