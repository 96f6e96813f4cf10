package dev.helixbg.llm.cpu.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes back from blocks of eight bits is as near as their scale allows. */
class Q8BlocksTest {
  @ParameterizedTest
  @ValueSource(ints = {32, 64, 96, 128, 4096})
  void numbersAreHalfAScaleAwayAtMost(int count) {
    SplittableRandom random = new SplittableRandom(count);
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      // Blocks of very different sizes.
      numbers[i] = (float) (random.nextDouble(-1, 1) * Math.pow(10, i / 32 % 6 - 3));
    }
    float[] restored = restored(numbers);
    for (int i = 0; i < count; i += 32) {
      float largest = 0;
      for (int j = i; j < i + 32; j++) {
        largest = Math.max(largest, Math.abs(numbers[j]));
      }
      // Below 2^-14 · 127 the scale is a subnormal number of f16, in steps of 2^-24.
      float step = Math.max(largest / 127 * (1 + 0x1p-10f), largest / 127 + 0x1p-24f);
      for (int j = i; j < i + 32; j++) {
        assertEquals(numbers[j], restored[j], step / 2 + 127 * 0x1p-25f, "number " + j);
      }
    }
  }

  @Test
  void zerosStayZeroAndTheLargestOfABlockIsReached() {
    float[] numbers = new float[64];
    numbers[40] = -127;
    numbers[41] = 126;
    float[] expected = numbers.clone();
    assertArrayEquals(expected, restored(numbers));
  }

  @Test
  void numbersTooSmallForAScaleAreZero() {
    float[] numbers = new float[32];
    numbers[3] = 0x1p-24f;
    assertArrayEquals(new float[32], restored(numbers));
  }

  private static float[] restored(float[] numbers) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment floats = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
      MemorySegment blocks = arena.allocate(TensorType.Q8_0.bytes(numbers.length), 2);
      Q8Blocks.pack(floats.address(), numbers.length, blocks.address());
      float[] restored = new float[numbers.length];
      Dequantize.row(TensorType.Q8_0, blocks, 0, numbers.length, restored, 0);
      return restored;
    }
  }
}
