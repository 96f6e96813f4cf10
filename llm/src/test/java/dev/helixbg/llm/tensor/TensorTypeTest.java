package dev.helixbg.llm.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TensorTypeTest {

  /** A block has factors in f16, packed scales, and the bits of each weight. */
  @ParameterizedTest
  @EnumSource
  void blockSizesFollowFromTheirFields(TensorType type) {
    int f16 = 2;
    int packedScales = 8 * (6 + 6) / 8;
    int bytes =
        switch (type) {
          case F32 -> Float.BYTES;
          case F16, BF16 -> Short.BYTES;
          case Q8_0 -> f16 + 32;
          case Q4_K -> 2 * f16 + packedScales + 256 * 4 / 8;
          case Q5_K -> 2 * f16 + packedScales + 256 * 5 / 8;
          case Q6_K -> f16 + 256 / 16 + 256 * 6 / 8;
        };
    int elements =
        switch (type) {
          case F32, F16, BF16 -> 1;
          case Q8_0 -> 32;
          case Q4_K, Q5_K, Q6_K -> 256;
        };
    assertEquals(bytes, type.blockBytes());
    assertEquals(elements, type.blockElements());
  }

  @Test
  void idsFindTheirType() {
    for (StoredType type : TensorType.values()) {
      assertSame(type, StoredType.ofId(type.id()));
    }
    for (PackedType type : PackedType.values()) {
      assertSame(type, StoredType.ofId(type.id()));
      assertEquals(type.name(), StoredType.nameOf(type.id()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void blockSizesFollowFromTheirFields(PackedType type) {
    int f16 = 2;
    int bytes =
        switch (type) {
          case Q4_0, IQ4_NL -> f16 + 32 * 4 / 8;
          case Q4_1 -> 2 * f16 + 32 * 4 / 8;
          case Q5_0 -> f16 + 32 * 5 / 8;
          case Q5_1 -> 2 * f16 + 32 * 5 / 8;
          case IQ4_XS -> f16 + 8 * 6 / 8 + 256 * 4 / 8;
        };
    assertEquals(bytes, type.blockBytes());
    assertEquals(type == PackedType.IQ4_XS ? 256 : 32, type.blockElements());
  }

  @Test
  void idsAreThoseOfGgml() {
    assertEquals(
        "[0, 1, 8, 12, 13, 14, 30]",
        Arrays.toString(Arrays.stream(TensorType.values()).mapToInt(TensorType::id).toArray()));
    assertEquals(
        "[2, 3, 6, 7, 20, 23]",
        Arrays.toString(Arrays.stream(PackedType.values()).mapToInt(PackedType::id).toArray()));
  }

  @Test
  void knownButUnsupportedTypesAreNamed() {
    var failure = assertThrows(IllegalArgumentException.class, () -> StoredType.ofId(10));
    assertEquals("tensor type 10 (Q2_K) is not supported", failure.getMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 31, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void typesNobodyKnowsFailByNumber(int id) {
    var failure = assertThrows(IllegalArgumentException.class, () -> StoredType.ofId(id));
    assertTrue(failure.getMessage().contains(id + " (unknown)"), failure.getMessage());
  }

  @Test
  void bytesCountsWholeBlocks() {
    assertEquals(0, TensorType.Q4_K.bytes(0));
    assertEquals(576, TensorType.Q4_K.bytes(1024));
    assertThrows(IllegalArgumentException.class, () -> TensorType.Q4_K.bytes(255));
    assertThrows(IllegalArgumentException.class, () -> TensorType.F32.bytes(-1));
  }

  @Test
  void bytesNeverOverflow() {
    assertThrows(ArithmeticException.class, () -> TensorType.F32.bytes(Long.MAX_VALUE));
    assertThrows(ArithmeticException.class, () -> TensorType.Q8_0.bytes(Long.MAX_VALUE / 32 * 32));
    assertEquals(Long.MAX_VALUE / 256 * 144, TensorType.Q4_K.bytes(Long.MAX_VALUE / 256 * 256));
  }
}
