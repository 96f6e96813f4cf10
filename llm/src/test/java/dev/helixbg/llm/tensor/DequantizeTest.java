package dev.helixbg.llm.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DequantizeTest {

  /**
   * Returns the largest error of the plain quantisers, divided by the block's largest weight: half
   * a step, plus the rounding error of scales.
   */
  private static double tolerance(TensorType type) {
    return switch (type) {
      case F32 -> 0;
      case F16 -> 0x1p-11;
      case BF16 -> 0x1p-8;
      case Q8_0 -> 0.005;
      case Q6_K -> 0.04;
      case Q5_K -> 0.06;
      case Q4_K -> 0.1;
    };
  }

  @ParameterizedTest
  @EnumSource
  void quantisedWeightsComeBackNearTheirValues(TensorType type) {
    var random = new SplittableRandom(7);
    int n = 3 * 256;
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextDouble(-1, 1);
    }
    MemorySegment stored = MemorySegment.ofArray(new byte[5 + (int) type.bytes(n)]);
    Quantize.row(type, x, 0, n, stored, 5);
    float[] y = new float[n + 3];
    Dequantize.row(type, stored, 5, n, y, 3);
    for (int i = 0; i < n; i++) {
      assertEquals(x[i], y[i + 3], tolerance(type), "weight " + i);
    }
    assertArrayEquals(new float[3], new float[] {y[0], y[1], y[2]});
  }

  @Test
  void q4KFollowsItsPackedScalesByHand() {
    byte[] block = new byte[144];
    MemorySegment stored = MemorySegment.ofArray(block);
    byte[] head = HexFormat.of().parseHex("003c" + "0038"); // d = 1, m = 0.5
    System.arraycopy(head, 0, block, 0, 4);
    int[] scales = {1, 2, 62, 63, 33, 16, 15, 60};
    int[] minima = {0, 63, 5, 32, 47, 17, 61, 1};
    for (int sub = 0; sub < 8; sub++) {
      Quantize.packSixBits(stored, 4, sub, scales[sub], minima[sub]);
    }
    java.util.Arrays.fill(block, 16, 144, (byte) 0xb3); // low nibbles 3, high nibbles 11
    float[] y = new float[256];
    Dequantize.row(TensorType.Q4_K, stored, 0, 256, y, 0);
    for (int i = 0; i < 256; i++) {
      int sub = i / 32;
      assertEquals(scales[sub] * (sub % 2 == 0 ? 3 : 11) - 0.5f * minima[sub], y[i]);
    }
  }

  @ParameterizedTest
  @EnumSource
  void randomWeightsHaveTheWantedSpread(TensorType type) {
    int n = 256 * 400;
    float[] y = new float[n];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stored = arena.allocate(type.bytes(n));
      RandomWeights.fill(type, stored, 0, n, 0.02f, new SplittableRandom(1));
      Dequantize.row(type, stored, 0, n, y, 0);
    }
    double squares = 0;
    double sum = 0;
    for (float v : y) {
      squares += v * v;
      sum += v;
    }
    assertEquals(0.02, Math.sqrt(squares / n), 0.001);
    assertTrue(Math.abs(sum / n) < 0.005, "mean " + sum / n);
  }

  @Test
  void partsOfABlockAreRefused() {
    var stored = MemorySegment.ofArray(new byte[144]);
    assertThrows(
        IllegalArgumentException.class,
        () -> Dequantize.row(TensorType.Q4_K, stored, 0, 32, new float[32], 0));
    assertThrows(
        IndexOutOfBoundsException.class,
        () -> Dequantize.row(TensorType.Q4_K, stored, 1, 256, new float[256], 0));
  }
}
