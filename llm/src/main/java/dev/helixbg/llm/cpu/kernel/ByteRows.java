package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.half;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Rows of a quantised matrix, unpacked to unsigned bytes, up to 256 columns at a time. A byte is
 * the weight's quantum (stored integer) plus {@link #bias}.
 *
 * <p>AVX2 has an instruction that multiplies bytes and adds each pair of products, which yields a
 * short (a sum of pairs). For AVX2, a weight's byte therefore has only seven bits, so that two
 * products fit a short. The kernel then adds the products of 16 columns in one short, or of 8
 * columns if every 16 columns have a scale. The short starts at a number that cancels the products
 * of the bias (see {@code ByteTiles}). The other products add up to at most 16 · 16 · 127 or 8 · 32
 * · 127, which also fits a short. To stay within this limit, 16 is subtracted from five-bit quanta.
 * To compensate for this, 16 times the scale is added to their minimum.
 *
 * <p>Layout of a row: 256 bytes, a scale for each 32 columns, a minimum for each 32 columns. If a
 * type has a scale for each 16 columns, the second scale is stored instead of the minimum.
 *
 * <p>Each thread needs its own instance, which has memory for the rows.
 */
public final class ByteRows {
  /** Offset of the scales in a row, in bytes. */
  public static final int SCALES = 256;

  public static final int MINIMA = SCALES + 4 * 8;
  public static final int HALF_SCALES = MINIMA;

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
   * @param pairs whether the kernel adds pairs of products to 16-bit sums (AVX2)
   */
  public ByteRows(Arena arena, int rows, boolean pairs) {
    quanta = new BlockQuanta(arena);
    this.pairs = pairs;
    bias = bias(pairs);
    this.rows = arena.allocate((long) rows * ROW_BYTES, 64).address();
  }

  /**
   * Returns the number that is added to a weight's quantum (stored integer) to get an unsigned
   * byte.
   */
  public static int bias(boolean pairs) {
    return pairs ? 32 : 128;
  }

  /**
   * Returns whether a type can be unpacked to bytes. If {@code pairs} is true, pairs of products
   * are added in 16 bits, so weights must have at most six bits.
   */
  public static boolean takes(TensorType type, boolean pairs) {
    return switch (type) {
      case F32, F16, BF16 -> false;
      case Q8_0 -> !pairs;
      default -> true;
    };
  }

  public long address() {
    return rows;
  }

  /** Returns whether the row that was unpacked last has a scale for each 16 columns. */
  public boolean halves() {
    return halves;
  }

  /**
   * Unpacks the weights at address {@code source} to row {@code row} of this object.
   *
   * @param columns number of columns, a multiple of the type's block size, at most 256
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

  /** Unpacks a block of Q4_K in one step, which is faster; most weights have this type. */
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

  private static void factors(long bytes, float factor, long target) {
    MEMORY.set(LONG, target, bytes);
    FloatVector.broadcast(FloatVector.SPECIES_256, factor)
        .mul(
            (FloatVector)
                ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, target, ORDER)
                    .convertShape(B2F, FloatVector.SPECIES_256, 0))
        .intoMemorySegment(MEMORY, target, ORDER);
  }
}
