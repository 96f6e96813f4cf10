package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.kernel.ActivationBytes.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.OFFSETS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.STEPS;
import static dev.helixbg.llm.cpu.kernel.ActivationBytes.SUB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.llm.cpu.kernel.ActivationBytes;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that products of single rows in bytes are bit-identical to scalar code that adds in the
 * same order.
 */
class ByteRowProductTest {
  private static final List<TensorType> TYPES =
      List.of(TensorType.Q8_0, TensorType.Q4_K, TensorType.Q5_K, TensorType.Q6_K);
  private static final int ROWS = 23;
  private static final int LANES = 8;
  private static final float UNTOUCHED = 4711;

  private final SplittableRandom random = new SplittableRandom(3);

  @Test
  void resultsAreThoseOfScalarCode() {
    assumeTrue(available(), "no products of rows in bytes");
    compareAll();
  }

  @ParameterizedTest
  @CsvSource({
    "-Dhelixbg.vector.bits=256, (true|false)",
    "-XX:UseAVX=2, (true|false)",
    "-Dhelixbg.vector.bits=512, (true|false)",
    "-Dhelixbg.vector.bits=128, false",
    "-Dhelixbg.machine.code=false, false",
    "-Dhelixbg.machine.code=avx_vnni, false",
  })
  void inOtherVectorsToo(String option, String expected) throws Exception {
    List<String> options = List.of("-XX:+IgnoreUnrecognizedVMOptions", option);
    String printed = ForkedJvm.run(Redirect.INHERIT, options, ByteRowProductTest.class).strip();
    assertTrue(printed.matches(expected), printed);
    assumeTrue(expected.equals("false") || printed.equals("true"), "none of its products");
  }

  /**
   * Runs the comparison in a JVM with other vectors. Prints whether products in bytes are
   * available.
   */
  public static void main(String[] arguments) {
    if (available()) {
      new ByteRowProductTest().compareAll();
    }
    System.out.println(available());
  }

  private static boolean available() {
    boolean expected = Lanes.COUNT >= LANES && MachineCode.runs("avx2");
    for (TensorType type : TensorType.values()) {
      assertEquals(expected && TYPES.contains(type), ByteRowProduct.of(type).isPresent());
    }
    return expected;
  }

  private void compareAll() {
    for (TensorType type : TYPES) {
      int block = type.blockElements();
      for (int columns : new int[] {block, 2 * block, 3 * block, 11 * 256}) {
        for (int step : new int[] {1, 2, 7, 40}) {
          for (int from : new int[] {0, 5, ROWS - 1}) {
            compare(type, columns, from, step, false);
          }
        }
      }
      compare(type, 512, 0, 1, true);
    }
    compareZeros();
  }

  /** Checks that activations of 0 give results of 0, not NaN, because no rounding step is 0. */
  private void compareZeros() {
    try (Arena arena = Arena.ofConfined()) {
      for (TensorType type : TYPES) {
        MemorySegment weights = weights(arena, type, 512, false);
        float[] results = results(arena, type, weights, new float[512], 0, 1);
        assertEquals(ROWS, results.length);
        for (float result : results) {
          assertTrue(result == 0); // or -0
        }
      }
    }
  }

  private void compare(TensorType type, int columns, int from, int step, boolean extreme) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment weights = weights(arena, type, columns, extreme);
      float[] x = new float[columns];
      for (int i = 0; i < columns; i++) {
        x[i] = extreme ? -1 : (float) (random.nextGaussian() * (i % SUB == 3 ? 20 : 1));
      }
      float[] actual = results(arena, type, weights, x, from, step);
      float[] expected = new float[ROWS];
      Arrays.fill(expected, UNTOUCHED);
      for (int r = from; r < ROWS; r += step) {
        long row = 2 + r * type.bytes(columns);
        expected[r] =
            switch (type) {
              case Q8_0 -> q8(weights, row, bytes(type, x));
              case Q6_K -> q6K(weights, row, bytes(type, x));
              default -> withMinima(type, weights, row, bytes(type, x));
            };
        near(type, weights, row, x, expected[r]);
      }
      String what = "%s, %d columns, from %d, step %d".formatted(type, columns, from, step);
      assertArrayEquals(expected, actual, what);
    }
  }

  private MemorySegment weights(Arena arena, TensorType type, int columns, boolean extreme) {
    MemorySegment weights = arena.allocate(2 + type.bytes((long) ROWS * columns), 2);
    RandomWeights.fill(type, weights, 2, (long) ROWS * columns, 0.1f, random);
    if (extreme) { // all quanta, scales and minima have their largest values
      for (long block = 2; block < weights.byteSize(); block += type.blockBytes()) {
        weights.asSlice(block, type.blockBytes()).fill((byte) 0xFF);
        if (type == TensorType.Q6_K) {
          weights.asSlice(block + 192, 16).fill((byte) 0x80);
        }
        if (type == TensorType.Q8_0) {
          weights.asSlice(block + 2, SUB).fill((byte) 0x80);
        }
        short one = Float.floatToFloat16(1);
        weights.set(
            ValueLayout.JAVA_SHORT_UNALIGNED, block + (type == TensorType.Q6_K ? 208 : 0), one);
        if (type == TensorType.Q4_K || type == TensorType.Q5_K) {
          weights.set(ValueLayout.JAVA_SHORT_UNALIGNED, block + 2, one);
        }
      }
    }
    return weights;
  }

  private static float[] results(
      Arena arena, TensorType type, MemorySegment weights, float[] x, int from, int step) {
    RowKernel kernel = ByteRowProduct.of(type).orElseThrow();
    int columns = x.length;
    MemorySegment input = arena.allocate(4L * columns, 64);
    MemorySegment.copy(x, 0, input, ValueLayout.JAVA_FLOAT, 0, columns);
    MemorySegment prepared = arena.allocate(4L * kernel.floats(columns), 64);
    kernel.prepare(input.address(), columns, prepared.address());
    assertArrayEquals(bytes(type, x), prepared.toArray(ValueLayout.JAVA_BYTE), "activations");
    MemorySegment y = arena.allocate(4L * ROWS, 64);
    float[] results = new float[ROWS];
    Arrays.fill(results, UNTOUCHED);
    MemorySegment.copy(results, 0, y, ValueLayout.JAVA_FLOAT, 0, ROWS);
    kernel.multiply(
        weights.address() + 2,
        columns,
        prepared.address(),
        y.address(),
        from,
        ROWS,
        step,
        arena.allocate(4L * columns, 64).address());
    return y.toArray(ValueLayout.JAVA_FLOAT);
  }

  /** Returns the activations in the layout of {@link ActivationBytes}. */
  private static byte[] bytes(TensorType type, float[] x) {
    if (type == TensorType.Q8_0) {
      return singleBytes(x);
    }
    boolean halves = type == TensorType.Q6_K;
    int zero = halves ? 32 : 1;
    int size = ActivationBytes.blockBytes(halves);
    MemorySegment all = MemorySegment.ofArray(new byte[x.length / COLUMNS * size]);
    for (int sub = 0; sub < x.length / SUB; sub++) {
      int block = sub / LANES * size;
      float largest = largest(x, sub);
      float step = largest / 127;
      int[] sums = new int[2];
      for (int i = 0; i < SUB; i++) {
        int rounded = (int) Math.rint((double) (127 / largest) * x[sub * SUB + i]);
        all.set(ValueLayout.JAVA_BYTE, block + sub % LANES * SUB + i, (byte) rounded);
        sums[i / 16] += rounded;
      }
      set(all, block + STEPS, sub % LANES, step);
      for (int half = 0; half < (halves ? 2 : 1); half++) {
        int sum = halves ? sums[half] : sums[0] + sums[1];
        int place = halves ? sub % LANES * 2 + half : sub % LANES;
        set(all, block + OFFSETS, place, -zero * step * sum);
      }
    }
    return all.toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] singleBytes(float[] x) {
    MemorySegment all =
        MemorySegment.ofArray(new byte[x.length / SUB * ActivationBytes.SINGLE_BYTES]);
    for (int sub = 0; sub < x.length / SUB; sub++) {
      int block = sub * ActivationBytes.SINGLE_BYTES;
      float largest = largest(x, sub);
      for (int i = 0; i < SUB; i++) {
        int rounded = (int) Math.rint((double) (127 / largest) * x[sub * SUB + i]);
        all.set(ValueLayout.JAVA_BYTE, block + i, (byte) rounded);
      }
      set(all, block + SUB, 0, largest / 127);
    }
    return all.toArray(ValueLayout.JAVA_BYTE);
  }

  private static float largest(float[] x, int sub) {
    float largest = 1e-30f;
    for (int i = 0; i < SUB; i++) {
      largest = Math.max(largest, Math.abs(x[sub * SUB + i]));
    }
    return largest;
  }

  private static void set(MemorySegment memory, int from, int i, float value) {
    memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, from + 4L * i, value);
  }

  private static float q8(MemorySegment weights, long row, byte[] bytes) {
    MemorySegment x = MemorySegment.ofArray(bytes);
    float[] sums = new float[LANES];
    for (int block = 0; block < bytes.length / ActivationBytes.SINGLE_BYTES; block++) {
      long w = row + 34L * block;
      long at = (long) ActivationBytes.SINGLE_BYTES * block;
      float factor = half(weights, w) * number(x, at + SUB, 0);
      for (int lane = 0; lane < LANES; lane++) {
        int products = 0;
        for (int i = 4 * lane; i < 4 * lane + 4; i++) {
          products += weights.get(ValueLayout.JAVA_BYTE, w + 2 + i) * bytes[(int) at + i];
        }
        sums[lane] = Math.fma(products, factor, sums[lane]);
      }
    }
    return sum(sums);
  }

  private static float withMinima(TensorType type, MemorySegment weights, long row, byte[] bytes) {
    boolean five = type == TensorType.Q5_K;
    int quanta = five ? 48 : 16;
    MemorySegment x = MemorySegment.ofArray(bytes);
    float[] sums = new float[LANES];
    float[] offsets = new float[LANES];
    int size = ActivationBytes.blockBytes(false);
    for (int block = 0; block < bytes.length / size; block++) {
      long w = row + (long) type.blockBytes() * block;
      long at = (long) size * block;
      float[] factors = new float[LANES];
      for (int sub = 0; sub < LANES; sub++) {
        int low = at(weights, w + 4 + sub % 4);
        int middle = at(weights, w + 8 + sub % 4);
        int others = at(weights, w + 12 + sub % 4);
        int scale = sub < 4 ? low & 63 : others & 15 | low >> 6 << 4;
        int minimum = sub < 4 ? middle & 63 : others >> 4 | middle >> 6 << 4;
        factors[sub] = scale * number(x, at + STEPS, sub);
        float offset = minimum * number(x, at + OFFSETS, sub);
        offsets[sub] = Math.fma(offset, half(weights, w + 2), offsets[sub]);
      }
      float[][] parts = new float[2][LANES];
      for (int sub = 0; sub < LANES; sub++) {
        for (int lane = 0; lane < LANES; lane++) {
          int products = 0;
          for (int i = 4 * lane; i < 4 * lane + 4; i++) {
            int quantum = at(weights, w + quanta + sub / 2 * 32 + i) >> 4 * (sub % 2) & 15;
            quantum |= five ? (at(weights, w + 16 + i) >> sub & 1) << 4 : 0;
            products += quantum * bytes[(int) at + sub * SUB + i];
          }
          float[] part = parts[sub % 2];
          part[lane] =
              sub < 2 ? products * factors[sub] : Math.fma(products, factors[sub], part[lane]);
        }
      }
      addBlock(parts, half(weights, w), sums);
    }
    for (int lane = 0; lane < LANES; lane++) {
      sums[lane] += offsets[lane];
    }
    return sum(sums);
  }

  private static float q6K(MemorySegment weights, long row, byte[] bytes) {
    MemorySegment x = MemorySegment.ofArray(bytes);
    float[] sums = new float[LANES];
    int size = ActivationBytes.blockBytes(true);
    for (int block = 0; block < bytes.length / size; block++) {
      long w = row + 210L * block;
      long at = (long) size * block;
      float[][] parts = new float[2][LANES];
      for (int i = 0; i < 2 * LANES; i++) {
        parts[i / LANES][i % LANES] =
            weights.get(ValueLayout.JAVA_BYTE, w + 192 + i) * number(x, at + OFFSETS, i);
      }
      for (int sub = 0; sub < LANES; sub++) {
        for (int lane = 0; lane < LANES; lane++) {
          int products = 0;
          for (int i = 4 * lane; i < 4 * lane + 4; i++) {
            int low = at(weights, w + sub / 4 * 64 + sub % 2 * 32 + i) >> sub % 4 / 2 * 4 & 15;
            int upper = at(weights, w + 128 + sub / 4 * 32 + i) >> sub % 4 * 2 & 3;
            products += (low | upper << 4) * bytes[(int) at + sub * SUB + i];
          }
          products *= weights.get(ValueLayout.JAVA_BYTE, w + 192 + 2 * sub + lane / 4);
          float[] part = parts[sub % 2];
          part[lane] = Math.fma(products, number(x, at + STEPS, sub), part[lane]);
        }
      }
      addBlock(parts, half(weights, w + 208), sums);
    }
    return sum(sums);
  }

  private static void addBlock(float[][] parts, float scale, float[] sums) {
    for (int lane = 0; lane < LANES; lane++) {
      sums[lane] = Math.fma(parts[0][lane] + parts[1][lane], scale, sums[lane]);
    }
  }

  /** Adds the upper half of the lanes to the lower half, until one number is left. */
  private static float sum(float[] lanes) {
    float[] sums = lanes.clone();
    for (int apart = LANES / 2; apart > 0; apart /= 2) {
      for (int i = 0; i < apart; i++) {
        sums[i] += sums[i + apart];
      }
    }
    return sums[0];
  }

  /**
   * Checks that a result differs from the exact product only by rounding. An activation's rounding
   * error is up to a 254th of the largest of 32 activations.
   */
  private static void near(
      TensorType type, MemorySegment weights, long row, float[] x, float actual) {
    float[] values = new float[x.length];
    Dequantize.row(type, weights, row, x.length, values, 0);
    double sum = 0;
    double allowed = 0;
    for (int sub = 0; sub < x.length; sub += SUB) {
      double largest = 0;
      double size = 0;
      for (int i = sub; i < sub + SUB; i++) {
        sum += (double) values[i] * x[i];
        largest = Math.max(largest, Math.abs(x[i]));
        size += Math.abs(values[i]);
      }
      allowed += size * largest / 250;
    }
    assertEquals(sum, actual, allowed);
  }

  private static int at(MemorySegment memory, long place) {
    return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, place));
  }

  private static float half(MemorySegment memory, long place) {
    return Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, place));
  }

  private static float number(MemorySegment memory, long from, int i) {
    return memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, from + 4L * i);
  }
}
