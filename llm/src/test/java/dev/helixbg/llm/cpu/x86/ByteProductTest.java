package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.kernel.ByteRows.HALF_SCALES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.MINIMA;
import static dev.helixbg.llm.cpu.kernel.ByteRows.ROW_BYTES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.SCALES;
import static dev.helixbg.llm.cpu.kernel.row.KernelProbe.gaussian;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.LINE;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STARTS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STEPS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUBS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUMS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.TOKENS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.x86.MachineCode;
import dev.helixbg.llm.cpu.lanes.Lanes;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that products of bytes are bit-identical to scalar code that adds in the same order. All
 * numbers in memory are independent random numbers; even the sums in a tile do not fit its bytes.
 */
class ByteProductTest {
  /** Whether all bytes of tile and rows have the values that give the largest possible sums. */
  private static final boolean EXTREME = true;

  private final SplittableRandom random = new SplittableRandom(8);

  @Test
  void sumsAreThoseOfScalarCode() {
    assumeTrue(ByteProduct.AVAILABLE, "no products of vectors of this size");
    compareAll();
  }

  /** Returns the instructions that the processor has for vectors of this size. */
  private static String expected() {
    if (Lanes.COUNT >= 8 && MachineCode.runs(Lanes.COUNT == 16 ? "avx512_vnni" : "avx_vnni")) {
      return "VNNI";
    }
    return Lanes.COUNT == 8 && MachineCode.runs("avx2") ? "AVX2" : "none";
  }

  @ParameterizedTest
  @CsvSource({
    "-Dhelixbg.vector.bits=512, 32 (VNNI|none)",
    "-Dhelixbg.vector.bits=256, 16 (VNNI|AVX2|none)",
    "-Dhelixbg.vector.bits=256 -Dhelixbg.machine.code=avx2, 16 (AVX2|none)",
    "-XX:UseAVX=2, 16 (VNNI|AVX2|none)",
    "-Dhelixbg.vector.bits=128, 8 none",
  })
  void inOtherVectorsToo(String jvmOptions, String expected) throws Exception {
    String printed = printed(jvmOptions);
    assertTrue(printed.matches(expected), printed);
    assumeTrue(expected.endsWith("none") || !printed.endsWith("none"), "none of its products");
  }

  private static String printed(String jvmOptions) throws Exception {
    List<String> options = new ArrayList<>(List.of("-XX:+IgnoreUnrecognizedVMOptions"));
    options.addAll(List.of(jvmOptions.split(" ")));
    return ForkedJvm.run(Redirect.INHERIT, options, ByteProductTest.class).strip();
  }

  /**
   * Runs the comparison in a JVM with other vectors. Prints the number of a tile's tokens and the
   * instructions used.
   */
  public static void main(String[] arguments) {
    assertEquals(expected(), ByteProduct.INSTRUCTIONS);
    if (ByteProduct.AVAILABLE) {
      new ByteProductTest().compareAll();
    }
    System.out.println(TOKENS + " " + ByteProduct.INSTRUCTIONS);
  }

  private void compareAll() {
    for (int rows : new int[] {1, 5, 6, 7, 13, 48}) {
      for (int columns = SUB; columns <= COLUMNS; columns += SUB) {
        for (boolean halves : new boolean[] {false, true}) {
          for (int tokens : new int[] {1, TOKENS / 2, TOKENS / 2 + 1, TOKENS}) {
            compare(rows, halves, columns, tokens, !EXTREME);
          }
        }
      }
    }
    compare(7, false, COLUMNS, TOKENS, EXTREME);
    compare(7, true, COLUMNS, TOKENS, EXTREME);
    compare(7, true, COLUMNS, 1, EXTREME);
  }

  private void compare(int count, boolean halves, int columns, int tokens, boolean extreme) {
    // The code computes twelve rows for one vector of tokens, or six rows for two vectors.
    int used = tokens > TOKENS / 2 ? Math.ceilDiv(count, 6) * 6 : Math.ceilDiv(count, 12) * 12;
    int computed = tokens > TOKENS / 2 ? TOKENS : TOKENS / 2;
    try (Arena arena = Arena.ofConfined()) {
      // There is another panel of rows, whose sums must not change.
      MemorySegment sums = gaussian(arena, random, (used + ByteProduct.ROWS) * TOKENS);
      MemorySegment rows = rows(arena, used + ByteProduct.ROWS, halves, extreme);
      MemorySegment tile = tile(arena, extreme);
      float[] expected = sums.toArray(ValueLayout.JAVA_FLOAT);
      byte[] rowsBefore = rows.toArray(ValueLayout.JAVA_BYTE);
      byte[] tileBefore = tile.toArray(ValueLayout.JAVA_BYTE);
      for (int pass = 0; pass < 2; pass++) { // the second pass adds to the sums of the first
        ByteProduct.multiply(
            rows.address(), count, halves, columns, tile.address(), tokens, sums.address());
        for (int r = 0; r < used; r++) {
          MemorySegment row = rows.asSlice((long) r * ROW_BYTES, ROW_BYTES);
          for (int t = 0; t < computed; t++) {
            expected[r * TOKENS + t] =
                product(row, halves, columns, tile, t, expected[r * TOKENS + t], extreme);
          }
        }
        String what =
            "%d rows, %d columns, halves %s, %d tokens".formatted(count, columns, halves, tokens);
        assertArrayEquals(expected, sums.toArray(ValueLayout.JAVA_FLOAT), what);
      }
      assertArrayEquals(rowsBefore, rows.toArray(ValueLayout.JAVA_BYTE), "rows");
      assertArrayEquals(tileBefore, tile.toArray(ValueLayout.JAVA_BYTE), "tile");
    }
  }

  private static float product(
      MemorySegment row,
      boolean halves,
      int columns,
      MemorySegment tile,
      int t,
      float before,
      boolean exact) {
    float sum = before;
    for (int sub = 0; sub < columns / SUB; sub++) {
      MemorySegment x = tile.asSlice((long) sub * SUB_BYTES, SUB_BYTES);
      int first;
      int second;
      if (ByteProduct.PAIRS) {
        first = sumsOfPairs(row, x, sub, t, 0, halves ? SUB / 2 : SUB, exact);
        second = halves ? sumsOfPairs(row, x, sub, t, SUB / 2, SUB, exact) : 0;
      } else {
        first = products(row, x, sub, t, 0);
        second = products(row, x, sub, t, SUB / 2);
      }
      float step = at(x, STEPS, t);
      if (halves) {
        sum = Math.fma(at(row, SCALES, sub), first * step, sum);
        sum = Math.fma(at(row, HALF_SCALES, sub), second * step, sum);
      } else {
        sum = Math.fma(at(row, MINIMA, sub), at(x, SUMS, t), sum);
        sum = Math.fma(at(row, SCALES, sub), (first + second) * step, sum);
      }
    }
    return sum;
  }

  /**
   * Returns the sum of products of half a sub-block plus its start value; fails if it does not fit
   * an int.
   */
  private static int products(MemorySegment row, MemorySegment x, int sub, int t, int from) {
    int start = x.get(ValueLayout.JAVA_INT, STARTS + (long) LINE * from / (SUB / 2) + 4L * t);
    int sum = start;
    for (int k = from; k < from + SUB / 2; k++) {
      int weight = Byte.toUnsignedInt(row.get(ValueLayout.JAVA_BYTE, (long) sub * SUB + k));
      int activation = x.get(ValueLayout.JAVA_BYTE, k / 4 * LINE + 4L * t + k % 4);
      sum = Math.addExact(sum, weight * activation);
    }
    return sum;
  }

  /**
   * Returns the sum of products of some columns of a sub-block plus the start values. The sum of
   * each half of an int is computed modulo 2^16.
   *
   * @param exact whether to check that sums have the largest possible magnitude
   */
  private static int sumsOfPairs(
      MemorySegment row, MemorySegment x, int sub, int t, int from, int to, boolean exact) {
    int[] sums = new int[2];
    for (int k = from; k < to; k += 2) {
      int half = k / 2 % 2;
      int pair = 0;
      for (int i = k; i < k + 2; i++) {
        int weight = Byte.toUnsignedInt(row.get(ValueLayout.JAVA_BYTE, (long) sub * SUB + i));
        pair += weight * x.get(ValueLayout.JAVA_BYTE, i / 4 * LINE + 4L * t + i % 4);
      }
      assertEquals((short) pair, pair, "the instruction saturates");
      sums[half] += pair;
      if (k % (SUB / 2) < 4) {
        long start = STARTS + (long) LINE * (k / (SUB / 2)) + 4L * t + 2 * half;
        sums[half] += x.get(ValueLayout.JAVA_SHORT_UNALIGNED, start);
      }
    }
    if (exact) {
      assertEquals(32_512, Math.abs((short) sums[0]), "the largest sum");
    }
    return (short) sums[0] + (short) sums[1];
  }

  private static float at(MemorySegment memory, int from, int i) {
    return memory.get(ValueLayout.JAVA_FLOAT, from + 4L * i);
  }

  private MemorySegment rows(Arena arena, int count, boolean halves, boolean extreme) {
    MemorySegment rows = gaussian(arena, random, count * ROW_BYTES / Float.BYTES);
    for (int r = 0; r < count; r++) {
      for (int k = 0; k < COLUMNS; k++) {
        int largest = ByteProduct.PAIRS ? halves ? 0 : 16 : 255;
        int weight = extreme ? largest : random.nextInt(ByteProduct.PAIRS ? 64 : 256);
        rows.set(ValueLayout.JAVA_BYTE, (long) r * ROW_BYTES + k, (byte) weight);
      }
    }
    return rows;
  }

  private MemorySegment tile(Arena arena, boolean extreme) {
    MemorySegment tile = gaussian(arena, random, SUBS * SUB_BYTES / Float.BYTES);
    for (int sub = 0; sub < SUBS; sub++) {
      long from = (long) sub * SUB_BYTES;
      for (int i = 0; i < STEPS; i++) {
        byte activation = (byte) (extreme ? -127 : random.nextInt(-127, 128));
        tile.set(ValueLayout.JAVA_BYTE, from + i, activation);
      }
      for (int i = 0; i < 2 * TOKENS; i++) {
        int start = extreme ? starts() : random.nextInt(-300_000, 300_000);
        tile.set(ValueLayout.JAVA_INT, from + STARTS + 4L * i, start);
      }
    }
    return tile;
  }

  /**
   * Returns start values that cancel the bias of 8 or 16 weights if all activations are −127; with
   * AVX2, for the two halves of an int.
   */
  private static int starts() {
    int ofEight = 32 * 8 * 127;
    return ByteProduct.PAIRS ? ofEight << 16 | ofEight : 128 * 16 * -127;
  }
}
