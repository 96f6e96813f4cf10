package dev.helixbg.llm.cpu.kernel;

import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * A program that runs kernels on small data and prints what comes out, bit by bit: for JVMs with
 * other vectors, or without a compiler.
 */
final class KernelProbe {
  private static final int ROWS = 37;
  private static final int FROM = 3;

  private KernelProbe() {}

  /**
   * Prints one line per kernel: its name, the largest error of its result, the bits of the result.
   *
   * @param arguments how many milliseconds each is repeated, to be compiled; it must not change
   */
  public static void main(String[] arguments) {
    long nanos = Long.parseLong(arguments[0]) * 1_000_000;
    try (Arena arena = Arena.ofConfined()) {
      for (TensorType type : TensorType.values()) {
        for (int columns : columns(type)) {
          product(arena, type, columns, nanos);
        }
      }
      steps(arena, nanos);
    }
  }

  /** In place, where there is a kernel, and where it needs four blocks at a time, not so. */
  static int[] columns(TensorType type) {
    return switch (type.blockElements()) {
      case 1 -> new int[] {1, 31, 256, 1030};
      case 32 -> new int[] {32, 96, 128, 384, 1056};
      default -> new int[] {256, 768};
    };
  }

  private static void product(Arena arena, TensorType type, int columns, long nanos) {
    SplittableRandom random = new SplittableRandom(columns);
    MemorySegment weights = arena.allocate(type.bytes((long) ROWS * columns) + 2, 2);
    long stored = 2;
    RandomWeights.fill(type, weights, stored, (long) ROWS * columns, 0.1f, random);
    MemorySegment x = gaussian(arena, random, columns);
    RowProduct.Order order = RowProduct.order(type, columns);
    MemorySegment prepared = arena.allocate(4L * order.floats(columns), 64);
    MemorySegment y = arena.allocate(4L * ROWS, 64);
    MemorySegment scratch = arena.allocate(4L * columns, 64);
    Unpacker unpacker = new Unpacker(arena);
    float[] result =
        repeated(
            type + " " + columns,
            nanos,
            () -> {
              y.fill((byte) 0);
              order.prepare(x.address(), columns, prepared.address());
              RowProduct.multiply(
                  type,
                  weights.address() + stored,
                  columns,
                  prepared.address(),
                  y.address(),
                  FROM,
                  ROWS,
                  unpacker,
                  scratch.address());
              return y.toArray(ValueLayout.JAVA_FLOAT);
            });
    double worst = 0;
    double largest = 0;
    float[] row = new float[columns];
    for (int r = 0; r < ROWS; r++) {
      Dequantize.row(type, weights, stored + r * type.bytes(columns), columns, row, 0);
      double sum = 0;
      double size = 0;
      for (int c = 0; c < columns; c++) {
        double term = (double) row[c] * x.getAtIndex(ValueLayout.JAVA_FLOAT, c);
        sum += term;
        size += term * term;
      }
      // Rows outside what was asked for stay as they were.
      worst = Math.max(worst, Math.abs(result[r] - (r < FROM ? 0 : sum)));
      largest = Math.max(largest, Math.sqrt(size));
    }
    print(type + " " + columns, worst / largest, result);
  }

  /** The steps between products; their exactness is the backend's contract, here it is 0. */
  private static void steps(Arena arena, long nanos) {
    int count = 199;
    SplittableRandom random = new SplittableRandom(9);
    MemorySegment x = gaussian(arena, random, count);
    MemorySegment gain = gaussian(arena, random, count);
    MemorySegment y = arena.allocate(4L * count, 64);
    step("dot", nanos, () -> new float[] {FloatProduct.dot(x.address(), gain.address(), count)});
    step(
        "normalise",
        nanos,
        () -> {
          Vectors.normalise(x.address(), count, gain.address(), 1e-6f, y.address());
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
    step(
        "rotate",
        nanos,
        () -> {
          MemorySegment.copy(x, 0, y, 0, 4L * count);
          long sines = gain.address() + 4;
          Vectors.normaliseAndRotate(
              y.address(), count / 2, gain.address(), 1e-6f, gain.address(), sines);
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
    step(
        "gate",
        nanos,
        () -> {
          MemorySegment.copy(x, 0, y, 0, 4L * count);
          Vectors.gate(gain.address(), count, y.address());
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
    step(
        "exponentials",
        nanos,
        () -> new float[] {Vectors.exponentials(x.address(), count, 3, y.address())});
    step(
        "attention",
        nanos,
        () -> {
          int size = 33;
          RowAttention.scores(x.address(), gain.address(), 6, size, y.address());
          Vectors.clear(y.address() + 24, size);
          RowAttention.addWeighted(y.address(), x.address(), 6, size, y.address() + 24);
          return y.asSlice(0, 24 + 4 * size).toArray(ValueLayout.JAVA_FLOAT);
        });
  }

  private static void step(String name, long nanos, Supplier<float[]> run) {
    print(name, 0, repeated(name, nanos, run));
  }

  private static float[] repeated(String name, long nanos, Supplier<float[]> run) {
    float[] first = run.get();
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      float[] again = run.get();
      for (int i = 0; i < first.length; i++) {
        if (Float.floatToRawIntBits(first[i]) != Float.floatToRawIntBits(again[i])) {
          throw new IllegalStateException(name + ": " + first[i] + " became " + again[i]);
        }
      }
    }
    return first;
  }

  private static void print(String name, double error, float[] result) {
    StringBuilder line = new StringBuilder(name).append('\t').append(error).append('\t');
    for (float value : result) {
      line.append(Integer.toHexString(Float.floatToRawIntBits(value))).append(' ');
    }
    System.out.println(line);
  }

  private static MemorySegment gaussian(Arena arena, SplittableRandom random, int count) {
    MemorySegment values = arena.allocate(4L * count, 64);
    for (int i = 0; i < count; i++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
    }
    return values;
  }
}
