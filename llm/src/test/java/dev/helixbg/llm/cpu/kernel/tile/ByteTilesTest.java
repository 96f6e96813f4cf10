package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.LINE;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STARTS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.STEPS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUBS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUMS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.TOKENS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.cpu.lanes.Lanes;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that activations in tiles of bytes are bit-identical to the results of scalar rounding.
 */
class ByteTilesTest {
  private static final int STRIDE = COLUMNS + 24;
  private static final byte UNTOUCHED = 0x5A;

  /** Lower bound of the largest magnitude; numbers far below it become zero. */
  private static final float SMALLEST = 1e-30f;

  private final SplittableRandom random = new SplittableRandom(12);

  @Test
  void everyNumberIsRoundedAsItsScalarTwin() {
    compareAll();
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 256, 512})
  void inVectorsOfAnyWidth(int bits) throws Exception {
    String printed =
        ForkedJvm.run(
            Redirect.INHERIT, List.of("-Dhelixbg.vector.bits=" + bits), ByteTilesTest.class);
    assertEquals("tiles of " + Math.min(bits, Lanes.LARGEST) / 16 + " tokens", printed.strip());
  }

  public static void main(String[] arguments) {
    ByteTilesTest test = new ByteTilesTest();
    test.compareAll();
    test.oneTokenThatIsNoNumberChangesNoOther();
    System.out.println("tiles of " + TOKENS + " tokens");
  }

  private void compareAll() {
    compareAll(false);
    compareAll(true);
  }

  private void compareAll(boolean pairs) {
    for (int tokens : new int[] {1, 3, 7, 8, TOKENS / 2 + 1, TOKENS - 1, TOKENS}) {
      for (int columns = SUB; columns <= COLUMNS; columns += SUB) {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment x = activations(arena);
          MemorySegment tile = packed(arena, x, tokens, columns, pairs);
          for (int t = 0; t < tokens; t++) {
            for (int sub = 0; sub < columns / SUB; sub++) {
              compare(x, tile, t, sub, pairs);
            }
          }
          for (long at = (long) SUB_BYTES * columns / SUB; at < tile.byteSize(); at++) {
            assertEquals(UNTOUCHED, tile.get(ValueLayout.JAVA_BYTE, at), "behind the tile");
          }
        }
      }
    }
  }

  private MemorySegment activations(Arena arena) {
    MemorySegment x = arena.allocate(4L * STRIDE * TOKENS, 64);
    for (int t = 0; t < TOKENS; t++) {
      for (int k = 0; k < STRIDE; k++) {
        double gaussian = random.nextGaussian();
        double value =
            switch (t % 8) {
              case 1 -> 0;
              case 2 -> k % 50 == 40 ? 3000 : gaussian; // the other numbers become 0 beside it
              case 3 -> 1e-40 * gaussian; // subnormal
              case 4 -> SMALLEST * gaussian; // above and below the bound
              case 5 -> (k % 2 == 0 ? 1e30 : Float.MAX_VALUE / 8) * gaussian;
              // In the middle between two bytes, where the even byte is right.
              case 6 -> k % SUB == 5 ? 127 : random.nextInt(-127, 127) + 0.5;
              // So near to the middle that the product must not be rounded to a float first.
              case 7 -> k % SUB == 0 ? 3.7f : (random.nextInt(-127, 127) + 0.5) / (127 / 3.7f);
              default -> gaussian;
            };
        set(x, t, k, (float) value);
      }
    }
    return x;
  }

  private static MemorySegment packed(
      Arena arena, MemorySegment x, int tokens, int columns, boolean pairs) {
    MemorySegment tile = arena.allocate((long) (SUBS + 1) * SUB_BYTES, 64);
    MemorySegment scratch = arena.allocate(4L * ByteTiles.SCRATCH, 64);
    tile.fill(UNTOUCHED);
    scratch.fill((byte) 0xFF); // so NaN stands where no token is
    ByteTiles.pack(
        x.address(), 4L * STRIDE, tokens, columns, tile.address(), pairs, scratch.address());
    return tile;
  }

  private static void compare(MemorySegment x, MemorySegment tile, int t, int sub, boolean pairs) {
    float largest = SMALLEST;
    for (int k = sub * SUB; k < (sub + 1) * SUB; k++) {
      largest = Math.max(largest, Math.abs(get(x, t, k)));
    }
    int[] halves = new int[2];
    int[] upper = new int[2]; // the last two of each four columns
    for (int k = 0; k < SUB; k++) {
      // The product is exact in a double, so it is rounded only once.
      double inSteps = (double) (127 / largest) * get(x, t, sub * SUB + k);
      int expected = (int) Math.rint(inSteps);
      long at = (long) sub * SUB_BYTES + (long) k / 4 * LINE + 4L * t + k % 4;
      assertEquals(expected, tile.get(ValueLayout.JAVA_BYTE, at), where(t, sub) + ", column " + k);
      halves[2 * k / SUB] += expected;
      upper[2 * k / SUB] += k % 4 < 2 ? 0 : expected;
    }
    float step = largest / 127;
    assertEquals(step, floatAt(tile, sub, STEPS, t), where(t, sub) + ", step");
    float sum = step * (halves[0] + halves[1]) + 0f; // a zero may have either sign
    assertEquals(sum, floatAt(tile, sub, SUMS, t) + 0f, where(t, sub) + ", sum");
    for (int half = 0; half < 2; half++) {
      int start = tile.get(ValueLayout.JAVA_INT, place(sub, STARTS + LINE * half, t));
      int ofPairs = -32 * (halves[half] - upper[half]) & 0xFFFF | -32 * upper[half] << 16;
      int expected = pairs ? ofPairs : -128 * halves[half];
      assertEquals(expected, start, where(t, sub) + ", start " + half);
    }
  }

  private static String where(int t, int sub) {
    return "token " + t + ", sub-block " + sub;
  }

  @Test
  void oneTokenThatIsNoNumberChangesNoOther() {
    for (float none : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment x = activations(arena);
        MemorySegment without = packed(arena, x, TOKENS, COLUMNS, false);
        int broken = TOKENS / 2;
        set(x, broken, 3 * SUB + 17, none);
        MemorySegment with = packed(arena, x, TOKENS, COLUMNS, false);
        for (long at = 0; at < without.byteSize(); at += 4) {
          int sub = (int) (at / SUB_BYTES);
          if (sub != 3 || at % LINE / 4 != broken) {
            int expected = without.get(ValueLayout.JAVA_INT, at);
            assertEquals(expected, with.get(ValueLayout.JAVA_INT, at), none + ", byte " + at);
          }
        }
        float step = floatAt(with, 3, STEPS, broken);
        assertTrue(!Float.isFinite(step), "its own products are no numbers, but of step " + step);
      }
    }
  }

  private static float floatAt(MemorySegment tile, int sub, int line, int t) {
    return tile.get(ValueLayout.JAVA_FLOAT, place(sub, line, t));
  }

  private static long place(int sub, int line, int t) {
    return (long) sub * SUB_BYTES + line + 4L * t;
  }

  private static float get(MemorySegment x, int t, int k) {
    return x.getAtIndex(ValueLayout.JAVA_FLOAT, (long) t * STRIDE + k);
  }

  private static void set(MemorySegment x, int t, int k, float value) {
    x.setAtIndex(ValueLayout.JAVA_FLOAT, (long) t * STRIDE + k, value);
  }
}
