package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS_4;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q6_K rows in place, 512 bits.
 *
 * <p>The 6 bits of a weight are put together in the bytes of an int, then read as 128 + q like the
 * nibbles of {@link Q4KProduct}; the offset (128, and the 32 that the format subtracts) is taken
 * out per 16 weights by sums that {@link #prepare} made.
 */
final class Q6KProduct {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 210;

  private static final int SIX_BITS = 0x003F0000;
  private static final int FLOAT_128 = 0x43000000;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int HIGH_PAIRS = 0x30303030;
  private static final float OFFSET = 128 + 32;

  /** One scale per 16 weights, which are 4 lanes. */
  private static final VectorShuffle<Float> SCALES_0 = quarters(0);

  private static final VectorShuffle<Float> SCALES_1 = quarters(4);

  private static final VectorShuffle<Float> SCALES_2 = quarters(8);

  private static final VectorShuffle<Float> SCALES_3 = quarters(12);

  /** The 32 bytes of high bits of one half serve its weights 0–31 and, two bits higher, 32–63. */
  private static final VectorShuffle<Integer> FIRST_HALF =
      VectorShuffle.fromOp(INTS, lane -> lane % 8);

  private static final VectorShuffle<Integer> SECOND_HALF =
      VectorShuffle.fromOp(INTS, lane -> 8 + lane % 8);

  private static final IntVector PAIR_SHIFT =
      IntVector.fromArray(INTS, new int[] {0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2}, 0);

  private Q6KProduct() {}

  private static VectorShuffle<Float> quarters(int first) {
    return VectorShuffle.fromOp(FLOATS, lane -> first + lane / 4);
  }

  /**
   * {@link Deinterleave} of each 64 numbers. Then, per 16 numbers, their negated sum times the
   * offset.
   */
  static void prepare(long x, int columns, long prepared) {
    for (int part = 0; part < columns / 64; part++) {
      long first = x + part * 256L;
      Deinterleave.byFour(first, first + 64, first + 128, first + 192, prepared + part * 256L);
    }
    for (int i = 0; i < columns / 16; i++) {
      FloatVector sixteen = FloatVector.fromMemorySegment(FLOATS, MEMORY, x + i * 64L, ORDER);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      float sum = two.lane(0) + two.lane(1);
      MEMORY.set(FLOAT, prepared + columns * 4L + i * 4L, -OFFSET * sum);
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
    IntVector sixBits = IntVector.broadcast(INTS, SIX_BITS);
    IntVector float128 = IntVector.broadcast(INTS, FLOAT_128);
    IntVector lowNibbles = IntVector.broadcast(INTS, LOW_NIBBLES);
    IntVector highPairs = IntVector.broadcast(INTS, HIGH_PAIRS);
    for (int row = from; row < to; row += step) {
      long w = weights + (long) row * blocks * BLOCK_BYTES;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      FloatVector correction = even;
      for (long x = 0; x != 4L * columns; x += 4 * BLOCK, w += BLOCK_BYTES) {
        FloatVector integers =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 192, ORDER)
                    .convertShape(VectorOperators.B2F, FLOATS, 0);
        // d through a vector load: the tree of calls behind MemorySegment.get is as large as the
        // rest, and C2 stops inlining.
        int last = IntVector.fromMemorySegment(INTS_4, MEMORY, w + 194, ORDER).lane(3);
        // The broadcast first: see Q4KProduct.
        FloatVector scales =
            FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) (last >> 16))).mul(integers);
        correction =
            scales.fma(
                FloatVector.fromMemorySegment(FLOATS, MEMORY, sums + (x >>> 4), ORDER), correction);
        IntVector pairs = IntVector.fromMemorySegment(INTS, MEMORY, w + 128, ORDER);
        // Both halves spelled out: a vector that an inner loop carries is boxed.
        IntVector high0 = pairs.rearrange(FIRST_HALF).lanewise(LSHR, PAIR_SHIFT);
        IntVector z0 = IntVector.fromMemorySegment(INTS, MEMORY, w + 0, ORDER);
        IntVector p0 = z0.and(lowNibbles).or(high0.lanewise(LSHL, 4).and(highPairs));
        IntVector q0 = z0.lanewise(LSHR, 4).and(lowNibbles).or(high0.and(highPairs));
        FloatVector a0 =
            p0.lanewise(LSHL, 16)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 0, ORDER));
        FloatVector b0 =
            p0.lanewise(LSHL, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 64, ORDER));
        a0 =
            p0.and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 128, ORDER), a0);
        b0 =
            p0.lanewise(LSHR, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 192, ORDER), b0);
        FloatVector c0 =
            q0.lanewise(LSHL, 16)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 256, ORDER));
        FloatVector e0 =
            q0.lanewise(LSHL, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 320, ORDER));
        c0 =
            q0.and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 384, ORDER), c0);
        e0 =
            q0.lanewise(LSHR, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 448, ORDER), e0);
        even = a0.add(b0).fma(scales.rearrange(SCALES_0), even);
        odd = c0.add(e0).fma(scales.rearrange(SCALES_1), odd);
        IntVector high1 = pairs.rearrange(SECOND_HALF).lanewise(LSHR, PAIR_SHIFT);
        IntVector z1 = IntVector.fromMemorySegment(INTS, MEMORY, w + 64, ORDER);
        IntVector p1 = z1.and(lowNibbles).or(high1.lanewise(LSHL, 4).and(highPairs));
        IntVector q1 = z1.lanewise(LSHR, 4).and(lowNibbles).or(high1.and(highPairs));
        FloatVector a1 =
            p1.lanewise(LSHL, 16)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 512, ORDER));
        FloatVector b1 =
            p1.lanewise(LSHL, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 576, ORDER));
        a1 =
            p1.and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 640, ORDER), a1);
        b1 =
            p1.lanewise(LSHR, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 704, ORDER), b1);
        FloatVector c1 =
            q1.lanewise(LSHL, 16)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 768, ORDER));
        FloatVector e1 =
            q1.lanewise(LSHL, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 832, ORDER));
        c1 =
            q1.and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 896, ORDER), c1);
        e1 =
            q1.lanewise(LSHR, 8)
                .and(sixBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + x + 960, ORDER), e1);
        even = a1.add(b1).fma(scales.rearrange(SCALES_2), even);
        odd = c1.add(e1).fma(scales.rearrange(SCALES_3), odd);
      }
      FloatVector sixteen = even.add(odd).add(correction);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
