package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.SUBS;
import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.SixBitScales;
import jdk.incubator.vector.IntVector;

/**
 * Eight rows of a Q4_K matrix, one block wide, unpacked for {@link Q4KTileProduct}.
 *
 * <p>A sub-block's weights stand in a row by eights.
 *
 * <p>A weight is scale · (q − 8) + offset, where the offset holds the block's minimum and the 8
 * taken away. Layout: per row 256 ints, each with q − 8 in both halves; then 8 × 8 scales and 8 × 8
 * offsets, those of a row together.
 */
public final class Q4KPanel {
  /** Rows of a panel. */
  public static final int ROWS = 8;

  private static final int NIBBLE = 15;
  private static final int BOTH_HALVES = 0x10001;
  private static final int ZERO = 8;

  /**
   * Bytes from one row to the next: not a power of two, or all rows fall into the same cache sets.
   */
  static final long STRIDE = 4L * COLUMNS + 64;

  static final long SCALES = ROWS * STRIDE;

  /** From a row's scales to its offsets. */
  static final long OFFSETS = 4L * ROWS * SUBS;

  /** Bytes of a panel. */
  public static final long PANEL_BYTES = SCALES + 2 * OFFSETS;

  /** Bytes from eight weights of a sub-block to the next eight. */
  private static final long EIGHT = 32;

  /** Bytes from a sub-block to the one whose nibbles are in the upper halves of the same bytes. */
  private static final long HIGH = 4 * EIGHT;

  private Q4KPanel() {}

  /** Where the first weights of a sub-block are, in bytes from its row. */
  static long place(int sub) {
    return HIGH * sub;
  }

  /**
   * Unpacks one block of up to eight rows; the others keep what they hold.
   *
   * @param weights the block of the first row
   * @param rowBytes from one row to the next
   */
  public static void unpack(long weights, long rowBytes, int rows, long panel) {
    for (int row = 0; row < rows; row++) {
      long block = weights + row * rowBytes;
      scales(block, panel + SCALES + 4L * SUBS * row);
      for (int vector = 0; vector < 128 / BYTES; vector++) {
        int first = vector * BYTES / 32 * 2;
        long to = panel + STRIDE * row + place(first) + vector * BYTES % 32;
        nibbles(block + 16 + (long) vector * BYTES, to);
      }
    }
  }

  /** Spelled out, so that shifts are by constants: see {@code Unpacker.fifthBits}. */
  private static void nibbles(long bytes, long target) {
    IntVector z = loadInts(bytes);
    z.and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target, ORDER);
    z.lanewise(LSHR, 8)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + EIGHT, ORDER);
    z.lanewise(LSHR, 16)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + 2 * EIGHT, ORDER);
    z.lanewise(LSHR, 24)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + 3 * EIGHT, ORDER);
    z.lanewise(LSHR, 4)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + HIGH, ORDER);
    z.lanewise(LSHR, 12)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + HIGH + EIGHT, ORDER);
    z.lanewise(LSHR, 20)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + HIGH + 2 * EIGHT, ORDER);
    z.lanewise(LSHR, 28)
        .and(NIBBLE)
        .mul(BOTH_HALVES)
        .reinterpretAsShorts()
        .sub((short) ZERO)
        .intoMemorySegment(MEMORY, target + HIGH + 3 * EIGHT, ORDER);
  }

  /** See {@link SixBitScales}. */
  private static void scales(long stored, long factors) {
    long block = stored & ADDRESS;
    long target = factors & ADDRESS;
    float d = Float.float16ToFloat(MEMORY.get(SHORT, block));
    float m = Float.float16ToFloat(MEMORY.get(SHORT, block + 2));
    long scales = SixBitScales.scales(block);
    long minima = SixBitScales.minima(block);
    for (int i = 0; i < SUBS; i++) {
      put(target, i, d * (int) (scales >>> 8 * i & 63), m * (int) (minima >>> 8 * i & 63));
    }
  }

  private static void put(long target, int sub, float scale, float minimum) {
    MEMORY.set(FLOAT, target + 4L * sub, scale);
    MEMORY.set(FLOAT, target + OFFSETS + 4L * sub, ZERO * scale - minimum);
  }
}
