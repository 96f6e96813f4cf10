package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS_4;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for IQ4_XS rows in place, 512 bits: four sub-blocks of 32 in one vector, as in
 * {@link FourBlocks}, their weights by the table of {@link NibbleProduct}.
 */
final class Iq4XsProduct {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 136;

  // Lane l holds the scale of sub-block l % 8.
  // The low four bits of scale s are nibble s of an int, the high two are pair s of a short.
  private static final IntVector LOW_SHIFT = shifts(4);
  private static final IntVector HIGH_SHIFT = shifts(2);

  /** A float that is 2^23 and an integer below that: the integer is its low bits. */
  private static final int INTEGER = 0x4B000000;

  /** What {@link #INTEGER} added, and the 32 that the format subtracts. */
  private static final float OFFSET = 0x1p23f + 32;

  private static final VectorShuffle<Float> SCALES_0 = quarters(0);
  private static final VectorShuffle<Float> SCALES_1 = quarters(4);

  private Iq4XsProduct() {}

  private static IntVector shifts(int bits) {
    int[] shifts = new int[16];
    for (int lane = 0; lane < 16; lane++) {
      shifts[lane] = lane % 8 * bits;
    }
    return IntVector.fromArray(INTS, shifts, 0);
  }

  private static VectorShuffle<Float> quarters(int first) {
    return VectorShuffle.fromOp(FLOATS, lane -> first + lane / 4);
  }

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 256
   * @param prepared what {@link FourBlocks#prepare} wrote
   */
  static void multiply(long weights, int columns, long prepared, long y, int from, int to) {
    long rowBytes = (long) columns / BLOCK * BLOCK_BYTES;
    IntVector table = IntVector.fromMemorySegment(INTS, MEMORY, NibbleProduct.NON_LINEAR, ORDER);
    IntVector lowFour = IntVector.broadcast(INTS, 15);
    IntVector integer = IntVector.broadcast(INTS, INTEGER);
    for (int row = from; row < to; row++) {
      long w = weights + row * rowBytes;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      long x = prepared;
      for (int column = 0; column < columns; column += BLOCK, w += BLOCK_BYTES, x += 1024) {
        // d and high bits, then low bits: not by MemorySegment.get, see Q4KProduct.
        IntVector head = IntVector.fromMemorySegment(INTS_4, MEMORY, w, ORDER);
        int first = head.lane(0);
        IntVector high = IntVector.broadcast(INTS, first >>> 16).lanewise(LSHR, HIGH_SHIFT);
        IntVector low = IntVector.broadcast(INTS, head.lane(1)).lanewise(LSHR, LOW_SHIFT);
        FloatVector scales =
            FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) first))
                .mul(
                    high.and(3)
                        .lanewise(LSHL, 4)
                        .or(low.and(lowFour))
                        .or(integer)
                        .reinterpretAsFloats()
                        .sub(OFFSET));
        IntVector z = IntVector.fromMemorySegment(INTS, MEMORY, w + 8, ORDER);
        FloatVector a0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x, ORDER)
                .mul(z.selectFrom(table).reinterpretAsFloats());
        FloatVector b0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 64, ORDER)
                .mul(z.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        a0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 128, ORDER)
                .fma(z.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 192, ORDER)
                .fma(z.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b0);
        a0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 256, ORDER)
                .fma(z.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 320, ORDER)
                .fma(z.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), b0);
        a0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 384, ORDER)
                .fma(z.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 448, ORDER)
                .fma(z.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), b0);
        even = a0.add(b0).fma(scales.rearrange(SCALES_0), even);
        IntVector n = IntVector.fromMemorySegment(INTS, MEMORY, w + 72, ORDER);
        FloatVector a1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 512, ORDER)
                .mul(n.selectFrom(table).reinterpretAsFloats());
        FloatVector b1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 576, ORDER)
                .mul(n.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        a1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 640, ORDER)
                .fma(n.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 704, ORDER)
                .fma(n.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b1);
        a1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 768, ORDER)
                .fma(n.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 832, ORDER)
                .fma(n.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), b1);
        a1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 896, ORDER)
                .fma(n.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 960, ORDER)
                .fma(n.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), b1);
        odd = a1.add(b1).fma(scales.rearrange(SCALES_1), odd);
      }
      FloatVector sixteen = even.add(odd);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
