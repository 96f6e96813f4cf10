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
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q5_K rows in place, 512 bits: scales and minima as in {@link Q4KProduct}, the
 * bits of a weight put together and read as 128 + q as in {@link Q6KProduct}.
 */
final class Q5KProduct {
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

  private Q5KProduct() {}

  /**
   * The order of {@link Q4KProduct#prepare}; then, per block, 16 sums: of x times the offset, per
   * sub-block, and of x alone; negated.
   */
  static void prepare(long x, int columns, long prepared) {
    Q4KProduct.prepare(x, columns, prepared);
    for (long at = 4L * columns; at < 4L * columns + columns / 4; at += 64) {
      for (int sub = 0; sub < 8; sub++) {
        float negated = MEMORY.get(FLOAT, prepared + at + 32 + 4 * sub);
        MEMORY.set(FLOAT, prepared + at + 4 * sub, OFFSET * negated);
      }
    }
  }

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 256
   * @param prepared what {@link #prepare} wrote, aligned to 64 bytes
   */
  static void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step) {
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
        IntVector head = IntVector.fromMemorySegment(INTS_4, MEMORY, w, ORDER);
        IntVector packed =
            head.rearrange(SixBits.FIRST)
                .lanewise(LSHR, SixBits.FIRST_SHIFT)
                .and(SixBits.FIRST_MASK)
                .or(
                    head.rearrange(SixBits.SECOND)
                        .lanewise(LSHR, SixBits.SECOND_SHIFT)
                        .and(SixBits.SECOND_MASK));
        int factors = head.lane(0);
        float d = Float.float16ToFloat((short) factors);
        float m = Float.float16ToFloat((short) (factors >> 16));
        FloatVector integers =
            (FloatVector) packed.reinterpretAsBytes().convertShape(VectorOperators.B2F, FLOATS, 0);
        FloatVector scales =
            FloatVector.broadcast(FLOATS, d).blend(m, Q4KProduct.MINIMA).mul(integers);
        low =
            scales.fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, sums + (x >>> 4), ORDER), low);
        IntVector fifths =
            IntVector.fromMemorySegment(INTS, MEMORY, w + 16, ORDER)
                .rearrange(TWICE)
                .lanewise(LSHR, SUB_BLOCK);
        // Both halves spelled out: a vector that an inner loop carries is boxed.
        IntVector z0 = IntVector.fromMemorySegment(INTS, MEMORY, w + 48, ORDER);
        IntVector p0 = z0.and(lowNibbles).or(fifths.lanewise(LSHL, 4).and(fifthBits));
        IntVector q0 =
            z0.lanewise(LSHR, 4).and(lowNibbles).or(fifths.lanewise(LSHL, 3).and(fifthBits));
        FloatVector a0 =
            p0.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 0, ORDER));
        FloatVector b0 =
            p0.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 64, ORDER));
        a0 =
            p0.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 128, ORDER), a0);
        b0 =
            p0.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 192, ORDER), b0);
        FloatVector c0 =
            q0.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 256, ORDER));
        FloatVector e0 =
            q0.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 320, ORDER));
        c0 =
            q0.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 384, ORDER), c0);
        e0 =
            q0.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 448, ORDER), e0);
        low = a0.add(b0).fma(scales.rearrange(Q4KProduct.LOW), low);
        high = c0.add(e0).fma(scales.rearrange(Q4KProduct.HIGH), high);
        scales = scales.rearrange(Q4KProduct.NEXT);
        IntVector z1 = IntVector.fromMemorySegment(INTS, MEMORY, w + 112, ORDER);
        IntVector p1 = z1.and(lowNibbles).or(fifths.and(fifthBits));
        IntVector q1 =
            z1.lanewise(LSHR, 4).and(lowNibbles).or(fifths.lanewise(LSHR, 1).and(fifthBits));
        FloatVector a1 =
            p1.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 512, ORDER));
        FloatVector b1 =
            p1.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 576, ORDER));
        a1 =
            p1.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 640, ORDER), a1);
        b1 =
            p1.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 704, ORDER), b1);
        FloatVector c1 =
            q1.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 768, ORDER));
        FloatVector e1 =
            q1.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 832, ORDER));
        c1 =
            q1.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 896, ORDER), c1);
        e1 =
            q1.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 960, ORDER), e1);
        low = a1.add(b1).fma(scales.rearrange(Q4KProduct.LOW), low);
        high = c1.add(e1).fma(scales.rearrange(Q4KProduct.HIGH), high);
      }
      FloatVector sixteen = high.add(low);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
