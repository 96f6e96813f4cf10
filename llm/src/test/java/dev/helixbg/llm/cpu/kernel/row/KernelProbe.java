package dev.helixbg.llm.cpu.kernel.row;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.attention.HalfAttention;
import dev.helixbg.llm.cpu.kernel.attention.Softmax;
import dev.helixbg.llm.cpu.kernel.narrow.NibbleIntegerProduct;
import dev.helixbg.llm.cpu.kernel.narrow.Q6KIntegerProduct;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.cpu.x86.ByteRowProduct;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Program that runs kernels on small data and prints the bits of the results. Tests run it in JVMs
 * with other vector widths, or without a compiler.
 */
public final class KernelProbe {
  private static final int ROWS = 37;
  private static final int FROM = 3;

  private KernelProbe() {}

  /**
   * Prints one line per kernel: its name, the largest error of its results, and the bits of the
   * results.
   *
   * @param arguments milliseconds for which each kernel is repeated, so that it is compiled; its
   *     results must not change. If negative, each kernel runs once. Then the types to multiply;
   *     all types if none is given
   */
  public static void main(String[] arguments) {
    long nanos = Long.parseLong(arguments[0]) * 1_000_000;
    Set<TensorType> types = EnumSet.allOf(TensorType.class);
    if (arguments.length > 1) {
      types.removeIf(type -> !Arrays.asList(arguments).contains(type.toString()));
    }
    try (Arena arena = Arena.ofConfined()) {
      for (TensorType type : types) {
        for (int columns : columns(type)) {
          product(arena, type, columns, nanos);
        }
      }
      steps(arena, nanos);
      halfAttention(arena, nanos);
      softmax(arena, nanos);
      tiles(arena, nanos);
    }
  }

  /**
   * Packs rows to tiles and back, with and without whole groups of eight rows; then adds the rows a
   * second time.
   */
  private static void tiles(Arena arena, long nanos) {
    int columns = 9;
    for (int tokens = 1; tokens <= TileProduct.TOKENS; tokens++) {
      int count = tokens;
      MemorySegment rows = gaussian(arena, new SplittableRandom(tokens), tokens * columns);
      MemorySegment tile = arena.allocate(4L * TileProduct.TOKENS * columns, 64);
      MemorySegment back = arena.allocate(4L * tokens * columns, 64);
      long scratch = arena.allocate(TokenTiles.SCRATCH, 64).address();
      long stride = 4L * columns;
      float[] result =
          repeated(
              "tiles " + tokens,
              nanos / TileProduct.TOKENS,
              () -> {
                TokenTiles.pack(rows.address(), stride, count, columns, tile.address(), scratch);
                long from = tile.address();
                for (boolean adds : new boolean[] {false, true}) {
                  TokenTiles.unpack(from, columns, count, adds, back.address(), stride, scratch);
                }
                return back.toArray(ValueLayout.JAVA_FLOAT);
              });
      double worst = 0;
      for (int i = 0; i < result.length; i++) {
        double wanted = 2.0 * rows.getAtIndex(ValueLayout.JAVA_FLOAT, i);
        worst = Math.max(worst, Math.abs(result[i] - wanted));
        int place = i % columns * TileProduct.TOKENS + i / columns;
        double packed = tile.getAtIndex(ValueLayout.JAVA_FLOAT, place);
        worst = Math.max(worst, Math.abs(2 * packed - wanted));
      }
      print("tiles " + tokens, worst, result);
    }
  }

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
    RowKernel kernel = RowKernels.of(type);
    MemorySegment prepared = arena.allocate(4L * kernel.floats(columns), 64);
    MemorySegment y = arena.allocate(4L * ROWS, 64);
    MemorySegment scratch = arena.allocate(4L * columns, 64);
    int[] streams = {1};
    float[] result =
        repeated(
            type + " " + columns,
            nanos,
            () -> {
              y.fill((byte) 0);
              kernel.prepare(x.address(), columns, prepared.address());
              RowKernels.multiply(
                  type,
                  weights.address() + stored,
                  columns,
                  prepared.address(),
                  y.address(),
                  FROM,
                  ROWS,
                  streams[0],
                  scratch.address());
              streams[0] = streams[0] % 8 + 1; // the number of streams must not change results
              return y.toArray(ValueLayout.JAVA_FLOAT);
            });
    double worst = 0;
    double largest = 0;
    float[] row = new float[columns];
    float[] rounded = rounded(x, columns, kernel);
    for (int r = 0; r < ROWS; r++) {
      Dequantize.row(type, weights, stored + r * type.bytes(columns), columns, row, 0);
      double sum = 0;
      double size = 0;
      for (int c = 0; c < columns; c++) {
        double term = (double) row[c] * rounded[c];
        sum += term;
        size += term * term;
      }
      // Results of rows outside the range stay 0.
      worst = Math.max(worst, Math.abs(result[r] - (r < FROM ? 0 : sum)));
      largest = Math.max(largest, Math.sqrt(size));
    }
    print(type + " " + columns, worst / largest, result);
  }

  /** Returns the activations as the kernel rounds them. */
  private static float[] rounded(MemorySegment x, int columns, RowKernel kernel) {
    float[] rounded = x.asSlice(0, 4L * columns).toArray(ValueLayout.JAVA_FLOAT);
    if (kernel.floats(columns) >= columns) {
      return rounded;
    }
    int group = kernel instanceof Q6KIntegerProduct ? 16 : 32;
    int limit =
        switch (kernel) {
          case NibbleIntegerProduct(boolean five) -> Lanes.COUNT == 8 && !five ? 511 : 255;
          case Q6KIntegerProduct _, ByteRowProduct _ -> 127;
          default -> 255;
        };
    for (int first = 0; first < columns; first += group) {
      float largest = 0;
      for (int c = first; c < first + group; c++) {
        largest = Math.max(largest, Math.abs(rounded[c]));
      }
      for (int c = first; c < first + group; c++) {
        double steps = largest == 0 ? 0 : Math.rint((double) (limit / largest) * rounded[c]);
        rounded[c] = (float) steps * (largest / limit);
      }
    }
    return rounded;
  }

  /**
   * Runs the operations between products. Prints the error 0, because the backend's contract tests
   * check it.
   */
  private static void steps(Arena arena, long nanos) {
    int count = 199;
    SplittableRandom random = new SplittableRandom(9);
    MemorySegment x = gaussian(arena, random, count);
    MemorySegment gain = gaussian(arena, random, count);
    MemorySegment y = arena.allocate(4L * count, 64);
    step("dot", nanos, () -> new float[] {VectorOps.dot(x.address(), gain.address(), count)});
    step(
        "normalise",
        nanos,
        () -> {
          VectorOps.normalise(x.address(), count, gain.address(), 1e-6f, y.address());
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
    step(
        "rotate",
        nanos,
        () -> {
          MemorySegment.copy(x, 0, y, 0, 4L * count);
          VectorOps.normaliseAndRotate(
              y.address(), count / 2, gain.address(), 1e-6f, gain.address());
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
    step(
        "gate",
        nanos,
        () -> {
          MemorySegment.copy(x, 0, y, 0, 4L * count);
          VectorOps.gate(gain.address(), count, y.address());
          return y.toArray(ValueLayout.JAVA_FLOAT);
        });
  }

  /**
   * Runs attention for sizes with and without groups of eight vectors, single vectors and single
   * numbers.
   */
  private static void halfAttention(Arena arena, long nanos) {
    for (int size : new int[] {1, 6, 33, 64, 80, 128, 165, 256}) {
      int count = 7;
      SplittableRandom random = new SplittableRandom(size);
      MemorySegment queries = gaussian(arena, random, 2 * size);
      MemorySegment scaled = arena.allocate(8L * size, 64);
      VectorOps.multiply(queries.address(), 2 * size, HalfAttention.QUERY_FACTOR, scaled.address());
      MemorySegment halves = arena.allocate(2L * count * size, 2);
      for (int i = 0; i < count * size; i++) {
        // One number in eight is subnormal.
        double number = random.nextGaussian() * (i % 8 == 5 ? 1e-5 : 1);
        short half = Float.floatToFloat16((float) number);
        halves.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, half);
      }
      MemorySegment scores = arena.allocate(8L * count, 64);
      MemorySegment sums = arena.allocate(8L * size, 64);
      String name = "half attention " + size;
      float[] result =
          repeated(
              name,
              nanos,
              () -> {
                HalfAttention.scores(
                    scaled.address(),
                    scaled.address() + 4L * size,
                    halves.address(),
                    count,
                    size,
                    scores.address(),
                    scores.address() + 4L * count);
                VectorOps.copy(queries.address(), 2 * size, sums.address());
                HalfAttention.addWeighted(
                    scores.address(),
                    scores.address() + 4L * count,
                    halves.address(),
                    count,
                    size,
                    sums.address(),
                    sums.address() + 4L * size);
                float[] all = new float[2 * count + 2 * size];
                MemorySegment.copy(scores, ValueLayout.JAVA_FLOAT, 0, all, 0, 2 * count);
                MemorySegment.copy(sums, ValueLayout.JAVA_FLOAT, 0, all, 2 * count, 2 * size);
                return all;
              });
      print(name, halfAttentionError(queries, halves, count, size, result), result);
    }
  }

  private static double halfAttentionError(
      MemorySegment queries, MemorySegment halves, int count, int size, float[] result) {
    double worst = 0;
    for (int g = 0; g < 2; g++) {
      double[] sums = new double[size];
      double[] sizes = new double[size];
      for (int i = 0; i < size; i++) {
        sums[i] = queries.getAtIndex(ValueLayout.JAVA_FLOAT, g * size + i);
        sizes[i] = Math.abs(sums[i]);
      }
      for (int p = 0; p < count; p++) {
        double score = 0;
        double scoreSize = 0;
        for (int i = 0; i < size; i++) {
          double x = half(halves, p * size + i);
          double term = x * queries.getAtIndex(ValueLayout.JAVA_FLOAT, g * size + i);
          score += term;
          scoreSize += Math.abs(term);
          sums[i] += result[g * count + p] * x;
          sizes[i] += Math.abs(result[g * count + p] * x);
        }
        worst = Math.max(worst, Math.abs(result[g * count + p] - score) / scoreSize);
      }
      for (int i = 0; i < size; i++) {
        double off = Math.abs(result[2 * count + g * size + i] - sums[i]);
        worst = Math.max(worst, off / sizes[i]);
      }
    }
    return worst;
  }

  private static float half(MemorySegment halves, int i) {
    return Float.float16ToFloat(halves.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i));
  }

  private static void softmax(Arena arena, long nanos) {
    for (int count : new int[] {1, 4, 15, 16, 17, 199}) {
      MemorySegment scores = gaussian(arena, new SplittableRandom(count), count);
      scores.setAtIndex(ValueLayout.JAVA_FLOAT, count / 2, -1000);
      int end = count + 9;
      float scale = 0.7f;
      MemorySegment weights = arena.allocate(4L * (end + 16), 64);
      String name = "softmax " + count;
      float[] result =
          repeated(
              name,
              nanos,
              () -> {
                weights.fill((byte) 1);
                VectorOps.copy(scores.address(), count, weights.address());
                float max = Softmax.max(weights.address(), count);
                float sum = Softmax.exponentials(weights.address(), count, max, scale, end);
                float[] all = new float[end + 2];
                MemorySegment.copy(weights, ValueLayout.JAVA_FLOAT, 0, all, 0, end);
                all[end] = max;
                all[end + 1] = sum;
                return all;
              });
      double max = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < count; i++) {
        max = Math.max(max, scores.getAtIndex(ValueLayout.JAVA_FLOAT, i));
      }
      double worst = Math.abs(result[end] - max);
      double sum = 0;
      for (int i = 0; i < end; i++) {
        double exp =
            i < count ? Math.exp(scale * (scores.getAtIndex(ValueLayout.JAVA_FLOAT, i) - max)) : 0;
        sum += exp;
        worst = Math.max(worst, Math.abs(result[i] - exp) / (i < count ? exp + 1e-30 : 1e-30));
      }
      print(name, Math.max(worst, Math.abs(result[end + 1] - sum) / sum), result);
    }
  }

  private static void step(String name, long nanos, Supplier<float[]> run) {
    print(name, 0, repeated(name, nanos, run));
  }

  private static float[] repeated(String name, long nanos, Supplier<float[]> run) {
    float[] first = run.get();
    if (nanos < 0) {
      return first;
    }
    long end = System.nanoTime() + nanos;
    do {
      float[] again = run.get();
      for (int i = 0; i < first.length; i++) {
        if (Float.floatToRawIntBits(first[i]) != Float.floatToRawIntBits(again[i])) {
          throw new IllegalStateException(name + ": " + first[i] + " became " + again[i]);
        }
      }
    } while (System.nanoTime() < end);
    return first;
  }

  private static void print(String name, double error, float[] result) {
    StringBuilder line = new StringBuilder(name).append('\t').append(error).append('\t');
    for (float value : result) {
      line.append(Integer.toHexString(Float.floatToRawIntBits(value))).append(' ');
    }
    System.out.println(line);
  }

  public static MemorySegment gaussian(Arena arena, SplittableRandom random, int count) {
    MemorySegment values = arena.allocate(4L * count, 64);
    for (int i = 0; i < count; i++) {
      values.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
    }
    return values;
  }
}
