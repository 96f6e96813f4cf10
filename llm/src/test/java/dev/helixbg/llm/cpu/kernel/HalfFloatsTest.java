package dev.helixbg.llm.cpu.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that all kinds of floats become the same f16 numbers in vectors as one by one. */
class HalfFloatsTest {
  @Test
  void everyHalfAndWhatLiesBetweenTwoIsRoundedAsOneByOne() {
    for (int half = 0; half < 1 << 16; half++) {
      int bits = Float.floatToRawIntBits(Float.float16ToFloat((short) half));
      // The f16 number, the middle between it and the next one, and the floats next to both.
      int[] around = {bits, bits + 1, bits + 0xFFF, bits + 0x1000, bits + 0x1001, bits - 1};
      float[] floats = new float[16];
      for (int i = 0; i < 16; i++) {
        floats[i] = Float.intBitsToFloat(around[i % around.length]);
      }
      assertPacked(floats);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 7, 8, 15, 16, 17, 31, 33, 128})
  void anyBitsInAnyNumberOfThem(int count) {
    SplittableRandom random = new SplittableRandom(count);
    for (int round = 0; round < 1000; round++) {
      float[] floats = new float[count];
      for (int i = 0; i < count; i++) {
        floats[i] = Float.intBitsToFloat(random.nextInt());
      }
      assertPacked(floats);
      for (int i = 0; i < count; i++) { // floats in the range of f16
        floats[i] = (float) (random.nextGaussian() * Math.scalb(1.0, random.nextInt(-26, 17)));
      }
      assertPacked(floats);
    }
  }

  private static void assertPacked(float[] floats) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_FLOAT, floats);
      MemorySegment target = arena.allocate(2L * floats.length + 2);
      target.set(ValueLayout.JAVA_SHORT, 2L * floats.length, (short) 0x5A5A);
      HalfFloats.packF16(source.address(), floats.length, target.address());
      for (int i = 0; i < floats.length; i++) {
        short expected = Float.floatToFloat16(floats[i]);
        short actual = target.getAtIndex(ValueLayout.JAVA_SHORT, i);
        if (Float.isNaN(floats[i])) {
          assertTrue(Float.isNaN(Float.float16ToFloat(actual)), "NaN");
        } else {
          assertEquals(expected, actual, () -> "of a float: " + Arrays.toString(floats));
        }
      }
      assertEquals(0x5A5A, target.get(ValueLayout.JAVA_SHORT, 2L * floats.length), "behind them");
    }
  }
}
