package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static dev.helixbg.llm.cpu.lanes.WideningLoads.biased;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
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
public final class Q6KProduct implements RowKernel {
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

  private static VectorShuffle<Float> quarters(int first) {
    return VectorShuffle.fromOp(FLOATS, lane -> first + lane / 4);
  }

  /**
   * {@link DeinterleavedOrder} of each 64 numbers. Then, per 16 numbers, their negated sum times
   * the offset.
   */
  @Override
  public void prepare(long x, int columns, long prepared) {
    for (int part = 0; part < columns / 64; part++) {
      long first = x + part * 256L;
      DeinterleavedOrder.byFour(
          first, first + 64, first + 128, first + 192, prepared + part * 256L);
    }
    for (int i = 0; i < columns / 16; i++) {
      float sum = LaneSums.sum(loadFloats(x + i * 64L));
      MEMORY.set(FLOAT, prepared + columns * 4L + i * 4L, -OFFSET * sum);
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
        int last = loadInts4(w + 194).lane(3);
        // The broadcast first: see Q4KProduct.
        FloatVector scales =
            FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) (last >> 16))).mul(integers);
        correction = scales.fma(loadFloats(sums + (x >>> 4)), correction);
        IntVector pairs = loadInts(w + 128);
        // Both halves spelled out: a vector that an inner loop carries is boxed.
        IntVector high0 = pairs.rearrange(FIRST_HALF).lanewise(LSHR, PAIR_SHIFT);
        IntVector z0 = loadInts(w + 0);
        IntVector p0 = z0.and(lowNibbles).or(high0.lanewise(LSHL, 4).and(highPairs));
        IntVector q0 = z0.lanewise(LSHR, 4).and(lowNibbles).or(high0.and(highPairs));
        FloatVector a0 =
            biased(p0.lanewise(LSHL, 16), sixBits, float128).mul(loadFloats(prepared + x + 0));
        FloatVector b0 =
            biased(p0.lanewise(LSHL, 8), sixBits, float128).mul(loadFloats(prepared + x + 64));
        a0 = biased(p0, sixBits, float128).fma(loadFloats(prepared + x + 128), a0);
        b0 =
            biased(p0.lanewise(LSHR, 8), sixBits, float128).fma(loadFloats(prepared + x + 192), b0);
        FloatVector c0 =
            biased(q0.lanewise(LSHL, 16), sixBits, float128).mul(loadFloats(prepared + x + 256));
        FloatVector e0 =
            biased(q0.lanewise(LSHL, 8), sixBits, float128).mul(loadFloats(prepared + x + 320));
        c0 = biased(q0, sixBits, float128).fma(loadFloats(prepared + x + 384), c0);
        e0 =
            biased(q0.lanewise(LSHR, 8), sixBits, float128).fma(loadFloats(prepared + x + 448), e0);
        even = a0.add(b0).fma(scales.rearrange(SCALES_0), even);
        odd = c0.add(e0).fma(scales.rearrange(SCALES_1), odd);
        IntVector high1 = pairs.rearrange(SECOND_HALF).lanewise(LSHR, PAIR_SHIFT);
        IntVector z1 = loadInts(w + 64);
        IntVector p1 = z1.and(lowNibbles).or(high1.lanewise(LSHL, 4).and(highPairs));
        IntVector q1 = z1.lanewise(LSHR, 4).and(lowNibbles).or(high1.and(highPairs));
        FloatVector a1 =
            biased(p1.lanewise(LSHL, 16), sixBits, float128).mul(loadFloats(prepared + x + 512));
        FloatVector b1 =
            biased(p1.lanewise(LSHL, 8), sixBits, float128).mul(loadFloats(prepared + x + 576));
        a1 = biased(p1, sixBits, float128).fma(loadFloats(prepared + x + 640), a1);
        b1 =
            biased(p1.lanewise(LSHR, 8), sixBits, float128).fma(loadFloats(prepared + x + 704), b1);
        FloatVector c1 =
            biased(q1.lanewise(LSHL, 16), sixBits, float128).mul(loadFloats(prepared + x + 768));
        FloatVector e1 =
            biased(q1.lanewise(LSHL, 8), sixBits, float128).mul(loadFloats(prepared + x + 832));
        c1 = biased(q1, sixBits, float128).fma(loadFloats(prepared + x + 896), c1);
        e1 =
            biased(q1.lanewise(LSHR, 8), sixBits, float128).fma(loadFloats(prepared + x + 960), e1);
        even = a1.add(b1).fma(scales.rearrange(SCALES_2), even);
        odd = c1.add(e1).fma(scales.rearrange(SCALES_3), odd);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(even.add(odd).add(correction)));
    }
  }
}
