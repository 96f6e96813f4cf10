package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.wide.FourBlocks.FourBlockKernel;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for IQ4_XS rows in place, 512 bits: four sub-blocks of 32 in one vector, as in
 * {@link FourBlocks}, their weights by the table of {@link NibbleProduct}.
 */
public final class Iq4XsProduct implements FourBlockKernel {
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

  @Override
  public boolean streams() {
    return false;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = (long) columns / BLOCK * BLOCK_BYTES;
    IntVector table = loadInts(NibbleProduct.NON_LINEAR);
    IntVector lowFour = IntVector.broadcast(INTS, 15);
    IntVector integer = IntVector.broadcast(INTS, INTEGER);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      long x = prepared;
      for (int column = 0; column < columns; column += BLOCK, w += BLOCK_BYTES, x += 1024) {
        // d and high bits, then low bits: not by MemorySegment.get, see Q4KProduct.
        IntVector head = loadInts4(w);
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
        IntVector z = loadInts(w + 8);
        FloatVector a0 = loadFloats(x).mul(z.selectFrom(table).reinterpretAsFloats());
        FloatVector b0 =
            loadFloats(x + 64).mul(z.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        a0 =
            loadFloats(x + 128)
                .fma(z.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            loadFloats(x + 192)
                .fma(z.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b0);
        a0 =
            loadFloats(x + 256)
                .fma(z.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            loadFloats(x + 320)
                .fma(z.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), b0);
        a0 =
            loadFloats(x + 384)
                .fma(z.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), a0);
        b0 =
            loadFloats(x + 448)
                .fma(z.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), b0);
        even = a0.add(b0).fma(scales.rearrange(SCALES_0), even);
        IntVector n = loadInts(w + 72);
        FloatVector a1 = loadFloats(x + 512).mul(n.selectFrom(table).reinterpretAsFloats());
        FloatVector b1 =
            loadFloats(x + 576).mul(n.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        a1 =
            loadFloats(x + 640)
                .fma(n.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            loadFloats(x + 704)
                .fma(n.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b1);
        a1 =
            loadFloats(x + 768)
                .fma(n.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            loadFloats(x + 832)
                .fma(n.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), b1);
        a1 =
            loadFloats(x + 896)
                .fma(n.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), a1);
        b1 =
            loadFloats(x + 960)
                .fma(n.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), b1);
        odd = a1.add(b1).fma(scales.rearrange(SCALES_1), odd);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(even.add(odd)));
    }
  }
}
