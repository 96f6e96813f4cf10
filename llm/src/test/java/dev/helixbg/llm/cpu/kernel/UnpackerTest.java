package dev.helixbg.llm.cpu.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnpackerTest {

  @ParameterizedTest
  @EnumSource
  void everyTypeEqualsItsScalarTwin(TensorType type) {
    try (Arena arena = Arena.ofConfined()) {
      for (int blocks : new int[] {1, 2, 3, 7, 33}) {
        int n = blocks * type.blockElements();
        MemorySegment stored = arena.allocate(type.bytes(n) + 3);
        RandomWeights.fill(type, stored, 3, n, 0.02f, new SplittableRandom(blocks));
        compare(arena, type, stored, 3, n);
      }
    }
  }

  @Test
  void everyHalfFloatThatIsANumberIsExact() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(2 * 65536);
      for (int i = 0; i < 65536; i++) {
        boolean number = !Float.isNaN(Float.float16ToFloat((short) i));
        all.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (number ? i : 0));
      }
      compare(arena, TensorType.F16, all, 0, 65536);
    }
  }

  private static void compare(
      Arena arena, TensorType type, MemorySegment stored, long offset, int n) {
    float[] expected = new float[n];
    Dequantize.row(type, stored, offset, n, expected, 0);
    MemorySegment actual = arena.allocate(4L * n + 64, 64);
    new Unpacker(arena).row(type, stored.address() + offset, n, actual.address());
    for (int i = 0; i < n; i++) {
      assertEquals(
          expected[i], actual.getAtIndex(ValueLayout.JAVA_FLOAT, i), type + " weight " + i);
    }
  }
}
