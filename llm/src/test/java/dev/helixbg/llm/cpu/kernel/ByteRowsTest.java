package dev.helixbg.llm.cpu.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
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

/** Checks that weights computed from rows of bytes are bit-identical to the stored weights. */
class ByteRowsTest {
  private static final int COLUMNS = 256;
  private static final int ROWS = 3;

  private static final List<TensorType> TYPES =
      Arrays.stream(TensorType.values()).filter(type -> type.blockElements() > 1).toList();

  private final SplittableRandom random = new SplittableRandom(4);

  /**
   * Unpacks all types in random order with one instance, which must not keep numbers of a previous
   * type.
   */
  @Test
  void bytesScalesAndMinimaMakeTheStoredWeights() {
    assertEquals(4, TYPES.size());
    compareAll(TYPES, false);
  }

  @Test
  void thoseForPairsMakeThemOfSevenBits() {
    List<TensorType> taken = TYPES.stream().filter(type -> ByteRows.takes(type, true)).toList();
    assertEquals(3, taken.size());
    compareAll(taken, true);
  }

  private void compareAll(List<TensorType> types, boolean pairs) {
    try (Arena arena = Arena.ofConfined()) {
      ByteRows rows = new ByteRows(arena, ROWS, pairs);
      MemorySegment all = MemorySegment.ofAddress(rows.address()).reinterpret(ROWS * rowBytes());
      for (int round = 0; round < 100; round++) {
        for (TensorType type : types) {
          int blocks = random.nextInt(1, COLUMNS / type.blockElements() + 1);
          compare(arena, rows, all, type, blocks, random.nextBoolean(), pairs);
          compare(arena, rows, all, types.get(random.nextInt(types.size())), 1, false, pairs);
        }
      }
    }
  }

  /** Checks the code that C2 makes for processors whose widest vectors have 256 bits. */
  @Test
  void inNarrowerVectorsToo() throws Exception {
    List<String> vectors = List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:UseAVX=2");
    assertEquals("agree", ForkedJvm.run(Redirect.INHERIT, vectors, ByteRowsTest.class).strip());
  }

  public static void main(String[] arguments) {
    ByteRowsTest test = new ByteRowsTest();
    test.bytesScalesAndMinimaMakeTheStoredWeights();
    test.thoseForPairsMakeThemOfSevenBits();
    System.out.println("agree");
  }

  /**
   * @param raw whether all stored bits are random, so that scales and minima can be of any size,
   *     infinite or NaN
   */
  private void compare(
      Arena arena,
      ByteRows rows,
      MemorySegment all,
      TensorType type,
      int blocks,
      boolean raw,
      boolean pairs) {
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
      int quantum = Byte.toUnsignedInt(mine.get(ValueLayout.JAVA_BYTE, k)) - (pairs ? 32 : 128);
      float weight = weight(mine, quantum, k, rows.halves());
      String what = type + " weight " + k;
      boolean moved = pairs && type == TensorType.Q5_K;
      if (pairs) {
        int most = rows.halves() ? 32 : 16;
        assertTrue(quantum >= -most && quantum < most, what + " is too large for sums of pairs");
      }
      if (moved && Float.isFinite(expected[k]) && Float.isFinite(weight)) {
        float scale = ofSub(mine, ByteRows.SCALES, k);
        float rounding = Math.ulp(64 * scale) + Math.ulp(expected[k]);
        assertEquals(expected[k], weight, rounding, what);
      } else if (!moved) {
        // Adding 0 makes −0 equal to 0: for types without minima, a product adds a minimum of 0.
        assertEquals(expected[k] + 0f, weight + 0f, what);
      }
    }
  }

  private static float weight(MemorySegment row, int quantum, int k, boolean halves) {
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
