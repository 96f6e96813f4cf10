package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static dev.helixbg.llm.cpu.lanes.WideningLoads.biased;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.SixBitScales;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q5_K rows in place, 512 bits: scales and minima as in {@link Q4KProduct}, the
 * bits of a weight put together and read as 128 + q as in {@link Q6KProduct}.
 */
public final class Q5KProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 176;

  private static final int FIVE_BITS = 0x001F0000;
  private static final int FLOAT_128 = 0x43000000;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int FIFTH_BITS = 0x10101010;
  private static final float OFFSET = 128;

  /**
   * Bit s of the 32 bytes of fifth bits is that of sub-block s; a vector of low nibbles holds two
   * sub-blocks, s and s + 2.
   */
  private static final VectorShuffle<Integer> TWICE = VectorShuffle.fromOp(INTS, lane -> lane % 8);

  private static final IntVector SUB_BLOCK =
      IntVector.fromArray(INTS, new int[] {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2}, 0);

  /**
   * The order of {@link Q4KProduct#order}; then, per block, 16 sums: of x times the offset, per
   * sub-block, and of x alone; negated.
   */
  @Override
  public void prepare(long x, int columns, long prepared) {
    Q4KProduct.order(x, columns, prepared);
    for (long at = 4L * columns; at < 4L * columns + columns / 4; at += 64) {
      for (int sub = 0; sub < 8; sub++) {
        float negated = MEMORY.get(FLOAT, prepared + at + 32 + 4 * sub);
        MEMORY.set(FLOAT, prepared + at + 4 * sub, OFFSET * negated);
      }
    }
  }

  @Override
  public int floats(int columns) {
    return columns + columns / 16;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    int blocks = columns / BLOCK;
    long sums = prepared + columns * 4L;
    // Broadcast once: each and(int) or or(int) would broadcast anew, and C2 stops inlining sooner.
    IntVector fiveBits = IntVector.broadcast(INTS, FIVE_BITS);
    IntVector float128 = IntVector.broadcast(INTS, FLOAT_128);
    IntVector lowNibbles = IntVector.broadcast(INTS, LOW_NIBBLES);
    IntVector fifthBits = IntVector.broadcast(INTS, FIFTH_BITS);
    for (int row = from; row < to; row += step) {
      long w = weights + (long) row * blocks * BLOCK_BYTES;
      FloatVector low = FloatVector.zero(FLOATS);
      FloatVector high = low;
      long x = 0;
      for (int column = 0; column < columns; column += BLOCK, w += BLOCK_BYTES, x += 1024) {
        // As in Q4KProduct.
        IntVector head = loadInts4(w);
        IntVector packed =
            head.rearrange(SixBitScales.FIRST)
                .lanewise(LSHR, SixBitScales.FIRST_SHIFT)
                .and(SixBitScales.FIRST_MASK)
                .or(
                    head.rearrange(SixBitScales.SECOND)
                        .lanewise(LSHR, SixBitScales.SECOND_SHIFT)
                        .and(SixBitScales.SECOND_MASK));
        int factors = head.lane(0);
        float d = Float.float16ToFloat((short) factors);
        float m = Float.float16ToFloat((short) (factors >> 16));
        FloatVector integers =
            (FloatVector) packed.reinterpretAsBytes().convertShape(VectorOperators.B2F, FLOATS, 0);
        FloatVector scales =
            FloatVector.broadcast(FLOATS, d).blend(m, Q4KProduct.MINIMA).mul(integers);
        low = scales.fma(loadFloats(sums + (x >>> 4)), low);
        IntVector fifths = loadInts(w + 16).rearrange(TWICE).lanewise(LSHR, SUB_BLOCK);
        // Both halves spelled out: a vector that an inner loop carries is boxed.
        IntVector z0 = loadInts(w + 48);
        IntVector p0 = z0.and(lowNibbles).or(fifths.lanewise(LSHL, 4).and(fifthBits));
        IntVector q0 =
            z0.lanewise(LSHR, 4).and(lowNibbles).or(fifths.lanewise(LSHL, 3).and(fifthBits));
        FloatVector a0 =
            biased(p0.lanewise(LSHL, 16), fiveBits, float128).mul(loadFloats(prepared + x + 0));
        FloatVector b0 =
            biased(p0.lanewise(LSHL, 8), fiveBits, float128).mul(loadFloats(prepared + x + 64));
        a0 = biased(p0, fiveBits, float128).fma(loadFloats(prepared + x + 128), a0);
        b0 =
            biased(p0.lanewise(LSHR, 8), fiveBits, float128)
                .fma(loadFloats(prepared + x + 192), b0);
        FloatVector c0 =
            biased(q0.lanewise(LSHL, 16), fiveBits, float128).mul(loadFloats(prepared + x + 256));
        FloatVector e0 =
            biased(q0.lanewise(LSHL, 8), fiveBits, float128).mul(loadFloats(prepared + x + 320));
        c0 = biased(q0, fiveBits, float128).fma(loadFloats(prepared + x + 384), c0);
        e0 =
            biased(q0.lanewise(LSHR, 8), fiveBits, float128)
                .fma(loadFloats(prepared + x + 448), e0);
        low = a0.add(b0).fma(scales.rearrange(Q4KProduct.LOW), low);
        high = c0.add(e0).fma(scales.rearrange(Q4KProduct.HIGH), high);
        scales = scales.rearrange(Q4KProduct.NEXT);
        IntVector z1 = loadInts(w + 112);
        IntVector p1 = z1.and(lowNibbles).or(fifths.and(fifthBits));
        IntVector q1 =
            z1.lanewise(LSHR, 4).and(lowNibbles).or(fifths.lanewise(LSHR, 1).and(fifthBits));
        FloatVector a1 =
            biased(p1.lanewise(LSHL, 16), fiveBits, float128).mul(loadFloats(prepared + x + 512));
        FloatVector b1 =
            biased(p1.lanewise(LSHL, 8), fiveBits, float128).mul(loadFloats(prepared + x + 576));
        a1 = biased(p1, fiveBits, float128).fma(loadFloats(prepared + x + 640), a1);
        b1 =
            biased(p1.lanewise(LSHR, 8), fiveBits, float128)
                .fma(loadFloats(prepared + x + 704), b1);
        FloatVector c1 =
            biased(q1.lanewise(LSHL, 16), fiveBits, float128).mul(loadFloats(prepared + x + 768));
        FloatVector e1 =
            biased(q1.lanewise(LSHL, 8), fiveBits, float128).mul(loadFloats(prepared + x + 832));
        c1 = biased(q1, fiveBits, float128).fma(loadFloats(prepared + x + 896), c1);
        e1 =
            biased(q1.lanewise(LSHR, 8), fiveBits, float128)
                .fma(loadFloats(prepared + x + 960), e1);
        low = a1.add(b1).fma(scales.rearrange(Q4KProduct.LOW), low);
        high = c1.add(e1).fma(scales.rearrange(Q4KProduct.HIGH), high);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(high.add(low)));
    }
  }
}
