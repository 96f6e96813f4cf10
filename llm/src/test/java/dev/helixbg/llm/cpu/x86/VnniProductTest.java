package dev.helixbg.llm.cpu.x86;

import static dev.helixbg.llm.cpu.kernel.ByteRows.HALF_SCALES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.MINIMA;
import static dev.helixbg.llm.cpu.kernel.ByteRows.ROW_BYTES;
import static dev.helixbg.llm.cpu.kernel.ByteRows.SCALES;
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

import dev.helixbg.llm.cpu.ForkedJvm;
import dev.helixbg.llm.cpu.lanes.Lanes;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The product of bytes beside scalars in the same order, bit for bit. Every place in memory has a
 * number that nothing else has: sums and starts are not those of the bytes.
 */
class VnniProductTest {
  /** Of a tile's bytes all are −127, of a row's 255, and what they begin with is as negative. */
  private static final boolean EXTREME = true;

  private final SplittableRandom random = new SplittableRandom(8);

  @Test
  void sumsAreThoseOfScalarCode() {
    assumeTrue(processorHasIt(), "no VNNI for vectors of " + Lanes.COUNT * Float.SIZE + " bits");
    assertTrue(VnniProduct.AVAILABLE, "what the processor has is used");
    compareAll();
  }

  private static boolean processorHasIt() {
    return Lanes.COUNT >= 8 && MachineCode.runs(Lanes.WIDE ? "avx512_vnni" : "avx_vnni");
  }

  @ParameterizedTest
  @CsvSource({
    "-Dhelixbg.vector.bits=512, 32 true",
    "-Dhelixbg.vector.bits=256, 16 true",
    "-XX:UseAVX=2, 16 true",
    "-Dhelixbg.vector.bits=128, 8 false",
  })
  void inOtherVectorsToo(String option, String expected) throws Exception {
    String printed = printed(option);
    assumeTrue(printed.endsWith(expected.split(" ")[1]), "no VNNI with " + option);
    assertEquals(expected, printed);
  }

  @Test
  void itCanBeSwitchedOff() throws Exception {
    assertEquals(TOKENS + " false", printed("-Dhelixbg.machine.code=false"));
  }

  private static String printed(String option) throws Exception {
    List<String> options = List.of("-XX:+IgnoreUnrecognizedVMOptions", option);
    return ForkedJvm.run(Redirect.INHERIT, options, VnniProductTest.class).strip();
  }

  /** The same in a JVM with other vectors: prints how many tokens a tile has, and what it saw. */
  public static void main(String[] arguments) {
    assertEquals(processorHasIt(), VnniProduct.AVAILABLE);
    if (VnniProduct.AVAILABLE) {
      new VnniProductTest().compareAll();
    }
    System.out.println(TOKENS + " " + VnniProduct.AVAILABLE);
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
    compare(7, true, COLUMNS, 1, EXTREME);
  }

  private void compare(int count, boolean halves, int columns, int tokens, boolean extreme) {
    // One vector of tokens for twelve rows, or two for six.
    int used = tokens > TOKENS / 2 ? Math.ceilDiv(count, 6) * 6 : Math.ceilDiv(count, 12) * 12;
    int computed = tokens > TOKENS / 2 ? TOKENS : TOKENS / 2;
    try (Arena arena = Arena.ofConfined()) {
      // Those of the next panel must stay as they are.
      MemorySegment sums = floats(arena, (used + VnniProduct.ROWS) * TOKENS);
      MemorySegment rows = rows(arena, used + VnniProduct.ROWS, extreme);
      MemorySegment tile = tile(arena, extreme);
      float[] expected = sums.toArray(ValueLayout.JAVA_FLOAT);
      byte[] rowsBefore = rows.toArray(ValueLayout.JAVA_BYTE);
      byte[] tileBefore = tile.toArray(ValueLayout.JAVA_BYTE);
      for (int pass = 0; pass < 2; pass++) { // the second goes on with the sums of the first
        VnniProduct.multiply(
            rows.address(), count, halves, columns, tile.address(), tokens, sums.address());
        for (int r = 0; r < used; r++) {
          MemorySegment row = rows.asSlice((long) r * ROW_BYTES, ROW_BYTES);
          for (int t = 0; t < computed; t++) {
            expected[r * TOKENS + t] =
                product(row, halves, columns, tile, t, expected[r * TOKENS + t]);
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
      MemorySegment row, boolean halves, int columns, MemorySegment tile, int t, float before) {
    float sum = before;
    for (int sub = 0; sub < columns / SUB; sub++) {
      MemorySegment x = tile.asSlice((long) sub * SUB_BYTES, SUB_BYTES);
      int first = products(row, x, sub, t, 0);
      int second = products(row, x, sub, t, SUB / 2);
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

  /** Of half a sub-block, with what they begin with; fails if that is too large for an int. */
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

  private static float at(MemorySegment memory, int from, int i) {
    return memory.get(ValueLayout.JAVA_FLOAT, from + 4L * i);
  }

  private MemorySegment rows(Arena arena, int count, boolean extreme) {
    MemorySegment rows = floats(arena, count * ROW_BYTES / Float.BYTES);
    for (int r = 0; r < count; r++) {
      for (int k = 0; k < COLUMNS; k++) {
        byte weight = (byte) (extreme ? 255 : random.nextInt());
        rows.set(ValueLayout.JAVA_BYTE, (long) r * ROW_BYTES + k, weight);
      }
    }
    return rows;
  }

  private MemorySegment tile(Arena arena, boolean extreme) {
    MemorySegment tile = floats(arena, SUBS * SUB_BYTES / Float.BYTES);
    for (int sub = 0; sub < SUBS; sub++) {
      long from = (long) sub * SUB_BYTES;
      for (int i = 0; i < STEPS; i++) {
        byte activation = (byte) (extreme ? -127 : random.nextInt(-127, 128));
        tile.set(ValueLayout.JAVA_BYTE, from + i, activation);
      }
      for (int i = 0; i < 2 * TOKENS; i++) {
        int start = extreme ? 128 * 16 * -127 : random.nextInt(-300_000, 300_000);
        tile.set(ValueLayout.JAVA_INT, from + STARTS + 4L * i, start);
      }
    }
    return tile;
  }

  private MemorySegment floats(Arena arena, int count) {
    MemorySegment floats = arena.allocate(4L * count, 64);
    for (int i = 0; i < count; i++) {
      floats.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
    }
    return floats;
  }
}
