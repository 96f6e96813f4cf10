package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Rows of a matrix of a quantised type, up to 256 columns wide, unpacked to unsigned bytes: {@link
 * #bias} more than the quanta.
 *
 * <p>Those for sums of pairs are of seven bits, so that two products with signed bytes fit into a
 * short; and of 32 columns with one scale, or 16, those whose places have the same half in an int
 * have a sum of products that fits, too: 16 · 16 · 127 or 8 · 32 · 127 is less than 2^15. For that
 * quanta of five bits that have a minimum are 16 less, which the minimum makes good.
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
  private static final int EACH_BYTE = 0x01010101;
  private static final int HALF_OF_FIVE_BITS = 16;

  private final BlockQuanta quanta;
  private final int bias;
  private final boolean pairs;
  private final long rows;
  private boolean halves;

  /**
   * @param rows at most
   * @param pairs whether they are for sums of pairs
   */
  public ByteRows(Arena arena, int rows, boolean pairs) {
    quanta = new BlockQuanta(arena);
    this.pairs = pairs;
    bias = bias(pairs);
    this.rows = arena.allocate((long) rows * ROW_BYTES, 64).address();
  }

  /** How much more bytes are than quanta. */
  public static int bias(boolean pairs) {
    return pairs ? 32 : 128;
  }

  /** Whether there are rows for this type: for sums of pairs, of up to six bits. */
  public static boolean takes(TensorType type, boolean pairs) {
    return switch (type) {
      case F32, F16, BF16 -> false;
      case Q8_0 -> !pairs;
      default -> true;
    };
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
      q4K(source, to, bias * EACH_BYTE);
      return;
    }
    boolean minima = BlockQuanta.hasMinima(type);
    int less = pairs && type == TensorType.Q5_K ? HALF_OF_FIVE_BITS : 0;
    int step = type.blockElements();
    long block = source;
    for (int from = 0; from < columns; from += step) {
      long bytes = quanta.of(type, block);
      for (int i = 0; i < step / SUB; i++) {
        int at = from + SUB * i;
        IntVector.fromMemorySegment(IntVector.SPECIES_256, MEMORY, bytes + SUB * i, ORDER)
            .reinterpretAsBytes()
            .add((byte) (bias - less))
            .intoMemorySegment(MEMORY, to + at, ORDER);
        MEMORY.set(FLOAT, to + SCALES + at / 8, quanta.scales[2 * i]);
        float second = halves ? quanta.scales[2 * i + 1] : minima ? quanta.minima[2 * i] : 0;
        if (less > 0) {
          second += less * quanta.scales[2 * i];
        }
        MEMORY.set(FLOAT, to + MINIMA + at / 8, second);
      }
      block += type.blockBytes();
    }
  }

  /** The type of most weights, at once. */
  private static void q4K(long block, long target, int biases) {
    for (long pair = 0; pair != 4; pair++) {
      IntVector z =
          IntVector.fromMemorySegment(IntVector.SPECIES_256, MEMORY, block + 16 + 32 * pair, ORDER);
      z.and(NIBBLES).or(biases).intoMemorySegment(MEMORY, target + 64 * pair, ORDER);
      z.lanewise(LSHR, 4)
          .and(NIBBLES)
          .or(biases)
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
