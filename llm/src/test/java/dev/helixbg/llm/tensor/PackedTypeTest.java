package dev.helixbg.llm.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PackedTypeTest {
  /** Returns the permitted error for weights up to 1: half a step between levels. */
  private static double tolerance(PackedType type) {
    return switch (type) {
      case Q5_0, Q5_1 -> 0.04;
      case Q4_0, Q4_1 -> 0.08;
      case IQ4_NL, IQ4_XS -> 0.13;
    };
  }

  private static float[] unpacked(StoredType stored, MemorySegment data, int count) {
    float[] weights = new float[count];
    switch (stored) {
      case TensorType type -> Dequantize.row(type, data, 0, count, weights, 0);
      case PackedType type -> {
        TensorType computed = type.computed();
        MemorySegment target = MemorySegment.ofArray(new byte[(int) computed.bytes(count)]);
        type.unpack(data, target);
        Dequantize.row(computed, target, 0, count, weights, 0);
      }
    }
    return weights;
  }

  private static float[] packedAndUnpacked(StoredType type, float[] x) {
    MemorySegment stored = MemorySegment.ofArray(new byte[(int) type.bytes(x.length)]);
    Quantize.row(type, x, 0, x.length, stored, 0);
    return unpacked(type, stored, x.length);
  }

  /** Tests so many blocks that several threads unpack them. */
  @ParameterizedTest
  @EnumSource
  void weightsComeBackNearTheirValues(PackedType type) {
    var random = new SplittableRandom(7);
    float[] x = new float[5000 * type.blockElements()];
    for (int i = 0; i < x.length; i++) {
      x[i] = (float) random.nextDouble(-1, 1);
    }
    assertArrayEquals(x, packedAndUnpacked(type, x), (float) tolerance(type));
  }

  static Stream<StoredType> allTypes() {
    return Stream.concat(Stream.of(TensorType.values()), Stream.of(PackedType.values()));
  }

  /** Each weight of a block has its own bits: a change of one weight changes no other weight. */
  @ParameterizedTest
  @MethodSource("allTypes")
  void everyWeightHasAPlaceOfItsOwn(StoredType type) {
    float[] x = new float[type.blockElements()];
    Arrays.fill(x, 0.5f);
    x[0] = 1;
    x[x.length - 1] = -1;
    float[] before = packedAndUnpacked(type, x);
    for (int i = 1; i < x.length - 1; i++) {
      x[i] = 0.3f;
      float[] after = packedAndUnpacked(type, x);
      x[i] = 0.5f;
      for (int j = 0; j < x.length; j++) {
        assertEquals(
            j == i,
            Math.abs(after[j] - before[j]) > 0.1,
            "weight " + j + " when " + i + " changes");
      }
    }
  }

  @Test
  void levelsAreExactByHand() {
    // d = 0.5; all low nibbles are 3, all high nibbles are 11.
    byte[] nibbles = HexFormat.of().parseHex("0038" + "b3".repeat(16));
    float[] q4 = unpacked(PackedType.Q4_0, MemorySegment.ofArray(nibbles), 32);
    float[] iq4 = unpacked(PackedType.IQ4_NL, MemorySegment.ofArray(nibbles), 32);
    // d = 0.5, m = -2, same nibbles; then with fifth bits of the first half, without and with m.
    byte[] minimum = HexFormat.of().parseHex("003800c0" + "b3".repeat(16));
    float[] q41 = unpacked(PackedType.Q4_1, MemorySegment.ofArray(minimum), 32);
    byte[] fifths = HexFormat.of().parseHex("0038ffff0000" + "b3".repeat(16));
    float[] q5 = unpacked(PackedType.Q5_0, MemorySegment.ofArray(fifths), 32);
    byte[] both = HexFormat.of().parseHex("003800c0ffff0000" + "b3".repeat(16));
    float[] q51 = unpacked(PackedType.Q5_1, MemorySegment.ofArray(both), 32);
    for (int i = 0; i < 32; i++) {
      boolean low = i < 16;
      assertEquals(0.5f * ((low ? 3 : 11) - 8), q4[i]);
      assertEquals(0.5f * (low ? -65 : 38), iq4[i]);
      assertEquals(0.5f * (low ? 3 : 11) - 2, q41[i]);
      assertEquals(0.5f * ((low ? 19 : 11) - 16), q5[i]);
      assertEquals(0.5f * (low ? 19 : 11) - 2, q51[i]);
    }
  }

  @Test
  void scalesOfSubBlocksAreExactByHand() {
    // d = 0.5; the scales' high bits are 0 to 3 twice, their low bits are 0 to 7.
    byte[] block = HexFormat.of().parseHex("0038" + "e4e4" + "10325476" + "b3".repeat(128));
    float[] weights = unpacked(PackedType.IQ4_XS, MemorySegment.ofArray(block), 256);
    for (int i = 0; i < 256; i++) {
      int sub = i / 32;
      int scale = (sub | sub % 4 << 4) - 32;
      assertEquals(0.5f * scale * (i % 32 < 16 ? -65 : 38), weights[i]);
    }
  }
}
