package dev.helixbg.llm.cpu.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.cpu.ForkedJvm;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Rows of bytes beside the exact weights, bit for bit. */
class ByteRowsTest {
  private static final int COLUMNS = 256;
  private static final int ROWS = 3;

  private static final List<TensorType> TYPES =
      Arrays.stream(TensorType.values()).filter(type -> type.blockElements() > 1).toList();

  private final SplittableRandom random = new SplittableRandom(4);

  /** On one instance, in any order: what a type does not use must not be there from the last. */
  @Test
  void bytesScalesAndMinimaMakeTheStoredWeights() {
    assertEquals(10, TYPES.size());
    try (Arena arena = Arena.ofConfined()) {
      ByteRows rows = new ByteRows(arena, ROWS);
      MemorySegment all = MemorySegment.ofAddress(rows.address()).reinterpret(ROWS * rowBytes());
      for (int round = 0; round < 100; round++) {
        for (TensorType type : TYPES) {
          int blocks = COLUMNS / type.blockElements();
          compare(arena, rows, all, type, random.nextInt(1, blocks + 1), random.nextBoolean());
          compare(arena, rows, all, TYPES.get(random.nextInt(TYPES.size())), 1, false);
        }
      }
    }
  }

  /** What C2 makes where there are vectors of 256 bits, but no wider. */
  @Test
  void inNarrowerVectorsToo() throws Exception {
    List<String> vectors = List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:UseAVX=2");
    assertEquals("agree", ForkedJvm.run(Redirect.INHERIT, vectors, ByteRowsTest.class).strip());
  }

  public static void main(String[] arguments) {
    new ByteRowsTest().bytesScalesAndMinimaMakeTheStoredWeights();
    System.out.println("agree");
  }

  /**
   * @param raw whether all bits are random, so that factors are of any size, or no numbers
   */
  private void compare(
      Arena arena, ByteRows rows, MemorySegment all, TensorType type, int blocks, boolean raw) {
    int columns = blocks * type.blockElements();
    MemorySegment stored = arena.allocate(type.bytes(columns) + 2, 2);
    if (raw) {
      for (long at = 0; at < stored.byteSize(); at++) {
        stored.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
      }
    } else {
      RandomWeights.fill(type, stored, 2, columns, 0.02f, random);
    }
    int row = random.nextInt(ROWS);
    byte[] before = all.toArray(ValueLayout.JAVA_BYTE);
    rows.unpack(type, stored.address() + 2, columns, row);
    assertEquals(type == TensorType.Q6_K, rows.halves());
    byte[] after = all.toArray(ValueLayout.JAVA_BYTE);
    for (int i = 0; i < after.length; i++) {
      if (i / rowBytes() != row) {
        assertEquals(before[i], after[i], type + " wrote into another row");
      }
    }
    float[] expected = new float[columns];
    Dequantize.row(type, stored, 2, columns, expected, 0);
    MemorySegment mine = all.asSlice(row * rowBytes(), rowBytes());
    for (int k = 0; k < columns; k++) {
      // A product adds a minimum of zero for types that have none: zeros then have one sign.
      assertEquals(expected[k] + 0f, weight(mine, k, rows.halves()) + 0f, type + " weight " + k);
    }
  }

  private static float weight(MemorySegment row, int k, boolean halves) {
    int quantum = Byte.toUnsignedInt(row.get(ValueLayout.JAVA_BYTE, k)) - 128;
    boolean second = halves && k % 32 >= 16;
    int scales = second ? ByteRows.HALF_SCALES : ByteRows.SCALES;
    float minimum = halves ? 0 : ofSub(row, ByteRows.MINIMA, k);
    return quantum * ofSub(row, scales, k) + minimum;
  }

  private static float ofSub(MemorySegment row, int from, int k) {
    return row.get(ValueLayout.JAVA_FLOAT, from + 4L * (k / 32));
  }

  private static long rowBytes() {
    return ByteRows.ROW_BYTES;
  }
}
