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
import dev.helixbg.llm.cpu.lanes.Lanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q4_K rows in place, 512 bits.
 *
 * <p>A nibble becomes a float without a conversion: moved to bits 16–19 and or-ed with the bits of
 * 128.0 it reads 128 + q; at bits 12–15, with the bits of 2048.0, 2048 + q. Which of both depends
 * on what saves a shift. What the offsets and the minima of the sub-blocks add is the same for all
 * rows but for the scales, so {@link #prepare} sums it up once, and one FMA per block takes it out.
 */
public final class Q4KProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 144;

  private static final int NIBBLE_16 = 0x000F0000;
  private static final int FLOAT_128 = 0x43000000;
  private static final int NIBBLE_12 = 0x0000F000;
  private static final int FLOAT_2048 = 0x45000000;

  /**
   * Scales of a load (sub-blocks 0 and 2 in low, 1 and 3 in high nibbles) from lanes to half
   * vectors.
   */
  static final VectorShuffle<Float> LOW = halves(0, 2);

  static final VectorShuffle<Float> HIGH = halves(1, 3);

  /** Brings the scales of the second load to the places of the first's. */
  static final VectorShuffle<Float> NEXT =
      VectorShuffle.fromOp(FLOATS, lane -> (lane + 4) % Lanes.COUNT);

  /** Lanes 8 to 15, where the minima are. */
  static final VectorMask<Float> MINIMA = VectorMask.fromLong(FLOATS, 0xFF00);

  private static VectorShuffle<Float> halves(int low, int high) {
    return VectorShuffle.fromOp(FLOATS, lane -> lane < 8 ? low : high);
  }

  /**
   * Orders x as the kernel meets the weights, then, per block, 16 sums: of x times the offsets, per
   * sub-block, and of x alone; negated. Low nibbles at bits 12–15 are those of byte 3, high ones of
   * byte 1.
   *
   * <p>Per block two loads of 64 bytes; lane l of load z holds bytes 4l to 4l + 3 of it. For z,
   * then low and high nibbles: {@link DeinterleavedOrder} of the two sub-blocks.
   */
  static void order(long x, int columns, long prepared) {
    for (int part = 0; part < columns / 64; part++) {
      int sub = part / 2 * 4 + part % 2;
      long first = x + sub * 128L;
      DeinterleavedOrder.byFour(
          first, first + 64, first + 256, first + 320, prepared + part * 256L);
    }
    for (int sub = 0; sub < columns / 32; sub++) {
      FloatVector x0 = loadFloats(x + sub * 128L);
      FloatVector x1 = loadFloats(x + sub * 128L + 64);
      // Lane k of these four: what the bytes k of all lanes are multiplied by.
      FloatVector pairs = x0.add(x1);
      FloatVector eights = pairs.add(pairs.rearrange(LaneSums.BY_8));
      FloatVector fours = eights.add(eights.rearrange(LaneSums.BY_4));
      float odd = fours.lane(1) + fours.lane(3);
      float sum = fours.lane(0) + fours.lane(2) + odd;
      float moved = sub % 2 == 0 ? fours.lane(3) : fours.lane(1);
      long at = columns * 4L + sub / 8 * 64L + sub % 8 * 4L;
      MEMORY.set(FLOAT, prepared + at, -(128 * sum + (2048 - 128) * moved));
      MEMORY.set(FLOAT, prepared + at + 32, -sum);
    }
  }

  @Override
  public int floats(int columns) {
    return columns + columns / 16;
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    order(x, columns, prepared);
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    int blocks = columns / BLOCK;
    long sums = prepared + columns * 4L;
    // Broadcast once: each and(int) or or(int) would broadcast anew, and C2 stops inlining sooner.
    IntVector nibble16 = IntVector.broadcast(INTS, NIBBLE_16);
    IntVector float128 = IntVector.broadcast(INTS, FLOAT_128);
    IntVector nibble12 = IntVector.broadcast(INTS, NIBBLE_12);
    IntVector float2048 = IntVector.broadcast(INTS, FLOAT_2048);
    for (int row = from; row < to; row += step) {
      long w = weights + (long) row * blocks * BLOCK_BYTES;
      // Two sums, and one pair of shuffles for both loads: with a third sum and a pair each, C2 ran
      // out of its 32 registers in some processes, and a row took a fifth to a quarter longer.
      FloatVector low = FloatVector.zero(FLOATS);
      FloatVector high = low;
      for (long x = 0; x != 4L * columns; x += 4 * BLOCK, w += BLOCK_BYTES) {
        IntVector head = loadInts4(w);
        IntVector packed =
            head.rearrange(SixBitScales.FIRST)
                .lanewise(LSHR, SixBitScales.FIRST_SHIFT)
                .and(SixBitScales.FIRST_MASK)
                .or(
                    head.rearrange(SixBitScales.SECOND)
                        .lanewise(LSHR, SixBitScales.SECOND_SHIFT)
                        .and(SixBitScales.SECOND_MASK));
        // Not by MemorySegment.get: the tree of calls behind it is so large that C2 would stop
        // inlining.
        int factors = head.lane(0);
        float d = Float.float16ToFloat((short) factors);
        float m = Float.float16ToFloat((short) (factors >> 16));
        FloatVector integers =
            (FloatVector) packed.reinterpretAsBytes().convertShape(VectorOperators.B2F, FLOATS, 0);
        // The broadcast first: its class is known, that of a conversion's result is not, and calls
        // on it would not be inlined.
        FloatVector scales = FloatVector.broadcast(FLOATS, d).blend(m, MINIMA).mul(integers);
        low = scales.fma(loadFloats(sums + (x >>> 4)), low);
        IntVector z = loadInts(w + 16);
        IntVector z12 = z.lanewise(LSHR, 12);
        FloatVector a0 =
            biased(z.lanewise(LSHL, 16), nibble16, float128).mul(loadFloats(prepared + x + 0));
        FloatVector b0 =
            biased(z.lanewise(LSHL, 8), nibble16, float128).mul(loadFloats(prepared + x + 64));
        a0 = biased(z, nibble16, float128).fma(loadFloats(prepared + x + 128), a0);
        b0 = biased(z12, nibble12, float2048).fma(loadFloats(prepared + x + 192), b0);
        FloatVector c0 =
            biased(z.lanewise(LSHL, 12), nibble16, float128).mul(loadFloats(prepared + x + 256));
        FloatVector e0 = biased(z, nibble12, float2048).mul(loadFloats(prepared + x + 320));
        c0 =
            biased(z.lanewise(LSHR, 4), nibble16, float128).fma(loadFloats(prepared + x + 384), c0);
        e0 = biased(z12, nibble16, float128).fma(loadFloats(prepared + x + 448), e0);
        low = a0.add(b0).fma(scales.rearrange(LOW), low);
        high = c0.add(e0).fma(scales.rearrange(HIGH), high);
        scales = scales.rearrange(NEXT);
        IntVector n = loadInts(w + 80);
        IntVector n12 = n.lanewise(LSHR, 12);
        FloatVector a1 =
            biased(n.lanewise(LSHL, 16), nibble16, float128).mul(loadFloats(prepared + x + 512));
        FloatVector b1 =
            biased(n.lanewise(LSHL, 8), nibble16, float128).mul(loadFloats(prepared + x + 576));
        a1 = biased(n, nibble16, float128).fma(loadFloats(prepared + x + 640), a1);
        b1 = biased(n12, nibble12, float2048).fma(loadFloats(prepared + x + 704), b1);
        FloatVector c1 =
            biased(n.lanewise(LSHL, 12), nibble16, float128).mul(loadFloats(prepared + x + 768));
        FloatVector e1 = biased(n, nibble12, float2048).mul(loadFloats(prepared + x + 832));
        c1 =
            biased(n.lanewise(LSHR, 4), nibble16, float128).fma(loadFloats(prepared + x + 896), c1);
        e1 = biased(n12, nibble16, float128).fma(loadFloats(prepared + x + 960), e1);
        low = a1.add(b1).fma(scales.rearrange(LOW), low);
        high = c1.add(e1).fma(scales.rearrange(HIGH), high);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(high.add(low)));
    }
  }
}
