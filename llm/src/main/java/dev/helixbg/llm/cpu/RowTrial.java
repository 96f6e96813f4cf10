package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Two kernels for rows of one type, in turn over weights that nobody needs: whether the one whose
 * results are rounded more is so much faster that it is to be taken.
 *
 * <p>What they compute differs by the rounding of activations, so the choice is made once in a
 * process, when a model is opened, and by a margin that is no chance. The weights lie in the
 * processor's caches: where memory is the limit, both are as fast as it is.
 */
final class RowTrial {
  /**
   * So many that the call does not count: it is interpreted then, and the way into machine code
   * takes ten microseconds.
   */
  private static final int ROWS = 2048;

  /** Of which so many are made, and the others are alike. */
  private static final int DIFFERENT = 16;

  private static final int COLUMNS = 1024;

  /** Times that each is timed; the fastest counts. */
  private static final int SAMPLES = 25;

  /** Before that. */
  private static final int UNTIMED = 4;

  /** The time that it may take, of the other's. */
  private static final double ENOUGH = 0.8;

  /** Of the size of the results: four times what rounding to a 127th does. */
  private static final double ROUNDING = 0.02;

  private final Arena arena;
  private final Unpacker own;
  private final long weights;
  private final long x;

  private RowTrial(Arena arena, TensorType type) {
    this.arena = arena;
    own = new Unpacker(arena);
    SplittableRandom random = new SplittableRandom(1);
    byte[] bytes = new byte[Math.toIntExact(DIFFERENT * type.bytes(COLUMNS))];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) random.nextInt(0x3F); // an f16 of such bytes is a number below 2
    }
    MemorySegment all = arena.allocate(ROWS * type.bytes(COLUMNS), 64);
    for (long at = 0; at < all.byteSize(); at += bytes.length) {
      MemorySegment.copy(bytes, 0, all, ValueLayout.JAVA_BYTE, at, bytes.length);
    }
    weights = all.address();
    MemorySegment input = floats(COLUMNS);
    for (int i = 0; i < COLUMNS; i++) {
      input.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat() - 0.5f);
    }
    x = input.address();
  }

  /** Whether {@code bytes} is right, and clearly faster than {@code other}. */
  static boolean prefers(RowKernel bytes, RowKernel other, TensorType type) {
    try (Arena arena = Arena.ofConfined()) {
      RowTrial trial = new RowTrial(arena, type);
      Side one = trial.new Side(bytes);
      Side two = trial.new Side(other);
      double[][] nanos = new double[2][SAMPLES];
      for (int i = -UNTIMED; i < SAMPLES; i++) {
        long first = one.nanos();
        long second = two.nanos();
        if (i >= 0) {
          nanos[0][i] = first;
          nanos[1][i] = second;
        }
      }
      return one.differsFrom(two) <= ROUNDING && fewest(nanos[0]) <= ENOUGH * fewest(nanos[1]);
    }
  }

  private MemorySegment floats(int count) {
    return arena.allocate(4L * count, 64);
  }

  /** What others on the machine take comes on top, never off. */
  private static double fewest(double[] nanos) {
    return Arrays.stream(nanos).min().orElseThrow();
  }

  /** A kernel, its input and its results. */
  private final class Side {
    private final RowKernel kernel;
    private final long prepared;
    private final MemorySegment results = floats(ROWS);

    Side(RowKernel kernel) {
      this.kernel = kernel;
      prepared = floats(kernel.floats(COLUMNS)).address();
      kernel.prepare(x, COLUMNS, prepared);
    }

    long nanos() {
      long start = System.nanoTime();
      kernel.multiply(weights, COLUMNS, prepared, results.address(), 0, ROWS, 1, own);
      return System.nanoTime() - start;
    }

    /** Relative to the size of the other's; what is no number differs. */
    double differsFrom(Side other) {
      double difference = 0;
      double size = 0;
      for (int i = 0; i < ROWS; i++) {
        double value = other.results.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        difference += Math.pow(results.getAtIndex(ValueLayout.JAVA_FLOAT, i) - value, 2);
        size += value * value;
      }
      double relative = Math.sqrt(difference / size);
      return Double.isNaN(relative) ? Double.POSITIVE_INFINITY : relative;
    }
  }
}
