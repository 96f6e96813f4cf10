package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.tensor.Dequantize;
import java.lang.foreign.Arena;
import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q4_0 and IQ4_NL rows in place, 512 bits, four blocks of 32 at a time in the
 * layout of {@link FourBlocks}: the nibbles look up their weights in a table of sixteen.
 */
final class NibbleProduct {
  private static final int BLOCK_BYTES = 18;

  /** Sixteen floats: what the nibbles of Q4_0 stand for. */
  static final long LINEAR = table(nibble -> nibble - 8);

  /** As {@link #LINEAR}, for the non-linear types. */
  static final long NON_LINEAR = table(Dequantize::nonLinearLevel);

  private static final VectorShuffle<Short> NIBBLES = FourBlocks.nibbles(BLOCK_BYTES);
  private static final VectorShuffle<Short> FACTORS = FourBlocks.head(BLOCK_BYTES, 0, 0);

  private NibbleProduct() {}

  private static long table(IntUnaryOperator level) {
    long table = Arena.global().allocate(64, 64).address();
    for (int nibble = 0; nibble < 16; nibble++) {
      MEMORY.set(Lanes.FLOAT, table + 4L * nibble, level.applyAsInt(nibble));
    }
    return table;
  }

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 128
   * @param prepared what {@link FourBlocks#prepare} wrote
   * @param levels {@link #LINEAR} or {@link #NON_LINEAR}
   */
  static void multiply(
      long weights, int columns, long prepared, long levels, long y, int from, int to, int step) {
    long rowBytes = columns / 32L * BLOCK_BYTES;
    IntVector table = IntVector.fromMemorySegment(INTS, MEMORY, levels, ORDER);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      long x = prepared;
      for (int column = 0; column < columns; column += 128, w += 4 * BLOCK_BYTES, x += 512) {
        ShortVector first = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, w, ORDER);
        ShortVector second = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, w + 8, ORDER);
        IntVector z = first.rearrange(NIBBLES).blend(second, FourBlocks.LAST).reinterpretAsInts();
        FloatVector d =
            FloatVector.broadcast(FLOATS, FourBlocks.HALF_BIAS)
                .mul(
                    first
                        .rearrange(FACTORS)
                        .reinterpretAsInts()
                        .lanewise(ASHR, 3)
                        .and(FourBlocks.HALF_BITS)
                        .reinterpretAsFloats());
        FloatVector a =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x, ORDER)
                .mul(z.selectFrom(table).reinterpretAsFloats());
        FloatVector b =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 64, ORDER)
                .mul(z.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        FloatVector c =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 128, ORDER)
                .fma(z.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a);
        FloatVector e =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 192, ORDER)
                .fma(z.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b);
        FloatVector f =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 256, ORDER)
                .fma(z.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), c);
        FloatVector g =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 320, ORDER)
                .fma(z.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), e);
        FloatVector h =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 384, ORDER)
                .fma(z.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), f);
        FloatVector i =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 448, ORDER)
                .fma(z.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), g);
        sum = d.fma(h.add(i), sum);
      }
      FloatVector eight = sum.add(sum.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
