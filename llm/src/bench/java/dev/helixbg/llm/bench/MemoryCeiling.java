package dev.helixbg.llm.bench;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Measures how fast memory can be read. To generate a token, a model reads all weights, so this
 * speed limits the tokens per second.
 */
final class MemoryCeiling {
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
  private static final int VECTOR = LONGS.vectorByteSize();

  private static final int ROUNDS = 2;
  private static final int STEP = 4 * VECTOR;
  private static final long MOST_BYTES_PER_THREAD = 1 << 30;

  /** Minimum number of bytes of a round. Starting threads then takes little of a round's time. */
  private static final long LEAST_BYTES = 1 << 29;

  /** Bytes per call. The JIT compiles a longer loop while it runs, and the code is slower. */
  private static final int PIECE = 1 << 18;

  private MemoryCeiling() {}

  /**
   * Returns the speed of the fastest of several rounds, in GB/s. Each thread reads a part.
   *
   * @param bytes memory to read; much larger than the caches, or else the caches are measured
   */
  static double gigabytesPerSecond(MemorySegment bytes, int threads) {
    long part = Math.min(bytes.byteSize() / threads / STEP * STEP, MOST_BYTES_PER_THREAD);
    int passes = (int) Math.max(1, LEAST_BYTES / (part * threads));
    AtomicLong sink = new AtomicLong();
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long nanos =
          TimedThreads.nanos(
              threads, i -> sink.addAndGet(sum(bytes.asSlice(i * part, part), passes)));
      best = Math.max(best, (double) part * threads * passes / nanos);
    }
    return best;
  }

  private static long sum(MemorySegment bytes, int passes) {
    long sum = 0;
    for (int pass = 0; pass < passes; pass++) {
      for (long from = 0; from < bytes.byteSize(); from += PIECE) {
        sum += piece(bytes, from, (int) Math.min(PIECE, bytes.byteSize() - from));
      }
    }
    return sum;
  }

  /** Adds up numbers in four independent sums, so that the processor waits for memory only. */
  private static long piece(MemorySegment bytes, long from, int count) {
    LongVector a = LongVector.zero(LONGS);
    LongVector b = a;
    LongVector c = a;
    LongVector d = a;
    for (int i = 0; i < count; i += STEP) {
      a = load(bytes, from + i).add(a);
      b = load(bytes, from + i + VECTOR).add(b);
      c = load(bytes, from + i + 2 * VECTOR).add(c);
      d = load(bytes, from + i + 3 * VECTOR).add(d);
    }
    return a.add(b).add(c.add(d)).lane(0);
  }

  private static LongVector load(MemorySegment bytes, long at) {
    return LongVector.fromMemorySegment(LONGS, bytes, at, ByteOrder.LITTLE_ENDIAN);
  }
}
