package dev.helixbg.llm.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorTypeTest {

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
