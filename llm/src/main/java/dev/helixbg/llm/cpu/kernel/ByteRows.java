package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Rows of a matrix of any quantised type, up to 256 columns wide, unpacked to unsigned bytes: 128
 * more than the quanta.
 *
 * <p>Layout of a row: 256 bytes; the scale of each 32 columns; the minimum of each, or, where 16
 * columns have a scale of their own, that of the second half.
 *
 * <p>Holds the memory of the rows: one per thread.
 */
public final class ByteRows {
  /** From a row to what belongs to it. */
  public static final int SCALES = 256;

  public static final int MINIMA = SCALES + 4 * 8;
  public static final int HALF_SCALES = MINIMA;

  /** From a row to the next. */
  public static final int ROW_BYTES = MINIMA + 4 * 8;

  private static final int SUB = 32;
  private static final int NIBBLES = 0x0F0F0F0F;
  private static final int BIAS = 0x80808080;

  private final BlockQuanta quanta;
  private final long rows;
  private boolean halves;

  /**
   * @param rows at most
   */
  public ByteRows(Arena arena, int rows) {
    quanta = new BlockQuanta(arena);
    this.rows = arena.allocate((long) rows * ROW_BYTES, 64).address();
  }

  /** Where the rows are. */
  public long address() {
    return rows;
  }

  /** Whether 16 columns of the last row that was unpacked have a scale of their own. */
  public boolean halves() {
    return halves;
  }

  /**
   * Unpacks columns of a row.
   *
   * @param columns a multiple of the type's block, at most 256
   */
  public void unpack(TensorType type, long source, int columns, int row) {
    halves = type == TensorType.Q6_K;
    long to = rows + (long) ROW_BYTES * row;
    if (type == TensorType.Q4_K) {
      q4K(source, to);
      return;
    }
    boolean minima = BlockQuanta.hasMinima(type);
    int step = type.blockElements();
    long block = source;
    for (int from = 0; from < columns; from += step) {
      long bytes = quanta.of(type, block);
      for (int i = 0; i < step / SUB; i++) {
        int at = from + SUB * i;
        IntVector.fromMemorySegment(IntVector.SPECIES_256, MEMORY, bytes + SUB * i, ORDER)
            .lanewise(XOR, BIAS)
            .intoMemorySegment(MEMORY, to + at, ORDER);
        MEMORY.set(FLOAT, to + SCALES + at / 8, quanta.scales[2 * i]);
        float second = halves ? quanta.scales[2 * i + 1] : minima ? quanta.minima[2 * i] : 0;
        MEMORY.set(FLOAT, to + MINIMA + at / 8, second);
      }
      block += type.blockBytes();
    }
  }

  /** The type of most weights, at once. */
  private static void q4K(long block, long target) {
    for (long pair = 0; pair != 4; pair++) {
      IntVector z =
          IntVector.fromMemorySegment(IntVector.SPECIES_256, MEMORY, block + 16 + 32 * pair, ORDER);
      z.and(NIBBLES).or(BIAS).intoMemorySegment(MEMORY, target + 64 * pair, ORDER);
      z.lanewise(LSHR, 4)
          .and(NIBBLES)
          .or(BIAS)
          .intoMemorySegment(MEMORY, target + 64 * pair + 32, ORDER);
    }
    factors(SixBitScales.scales(block), half(block), target + SCALES);
    factors(SixBitScales.minima(block), -half(block + 2), target + MINIMA);
  }

  /** Eight bytes times a factor. */
  private static void factors(long bytes, float factor, long target) {
    MEMORY.set(LONG, target, bytes);
    FloatVector.broadcast(FloatVector.SPECIES_256, factor)
        .mul(
            (FloatVector)
                ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, target, ORDER)
                    .convertShape(B2F, FloatVector.SPECIES_256, 0))
        .intoMemorySegment(MEMORY, target, ORDER);
  }

  private static float half(long address) {
    return Float.float16ToFloat(MEMORY.get(SHORT, address));
  }
}
