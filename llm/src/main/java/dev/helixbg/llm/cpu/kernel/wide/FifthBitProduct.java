package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static dev.helixbg.llm.cpu.lanes.WideningLoads.biased;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.wide.FourBlocks.FourBlockKernel;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × vector for Q4_1, Q5_0 and Q5_1 rows in place, 512 bits, four blocks of 32 at a time in
 * the layout of {@link FourBlocks}. The bits of a weight are put together and read as 128 + q as in
 * {@link Q6KProduct}; the offset and the minimum meet sums of the activations.
 *
 * @param places such as {@link FourBlocks#Q4_1}
 * @param offset that all weights have too much, before their factor
 * @param fifthBits to keep of the fifth bits, in each byte
 * @param minimumBits to keep of the minimum: none or all
 */
public record FifthBitProduct(
    long places, int blockBytes, float offset, int fifthBits, int minimumBits)
    implements FourBlockKernel {
  private static final int FIVE_BITS = 0x001F0000;
  private static final int FLOAT_128 = 0x43000000;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;

  /** Times four bits: bit k comes to bit 8 · k + 4. */
  private static final int SPREAD = 1 << 4 | 1 << 11 | 1 << 18 | 1 << 25;

  private static final int SPREAD_BITS = 0x10101010;

  public static final RowKernel Q4_1 = new FifthBitProduct(FourBlocks.Q4_1, 20, 128, 0, -1);
  public static final RowKernel Q5_0 =
      new FifthBitProduct(FourBlocks.Q5_0, 22, 128 + 16, SPREAD_BITS, 0);
  public static final RowKernel Q5_1 =
      new FifthBitProduct(FourBlocks.Q5_1, 24, 128, SPREAD_BITS, -1);

  /** Of a block's 32 fifth bits, lane i of its four wants four from bit 4 · i on. */
  private static final IntVector FOUR_BITS =
      IntVector.fromArray(INTS, new int[] {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12}, 0);

  @Override
  public boolean streams() {
    return false;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / 32L * blockBytes;
    long second = 4L * blockBytes - 64;
    IntVector fiveBits = IntVector.broadcast(INTS, FIVE_BITS);
    IntVector float128 = IntVector.broadcast(INTS, FLOAT_128);
    IntVector lowNibbles = IntVector.broadcast(INTS, LOW_NIBBLES);
    IntVector fifths = IntVector.broadcast(INTS, fifthBits);
    IntVector spread = IntVector.broadcast(INTS, SPREAD);
    IntVector minima = IntVector.broadcast(INTS, minimumBits).and(FourBlocks.HALF_BITS);
    FloatVector bias = FloatVector.broadcast(FLOATS, FourBlocks.HALF_BIAS);
    FloatVector negated = FloatVector.broadcast(FLOATS, -offset);
    ShortVector nibbles = loadShorts(places);
    ShortVector bits = loadShorts(places + 64);
    ShortVector factors = loadShorts(places + 128);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minimum = sum;
      long x = prepared;
      long s = prepared + 4L * columns;
      for (int column = 0;
          column < columns;
          column += FourBlocks.WEIGHTS, w += 4L * blockBytes, x += 512, s += 64) {
        ShortVector a = loadShorts(w);
        ShortVector b = loadShorts(w + second);
        IntVector z =
            nibbles
                .selectFrom(a)
                .blend(nibbles.selectFrom(b), FourBlocks.LATER)
                .reinterpretAsInts();
        IntVector f =
            bits.selectFrom(a).blend(bits.selectFrom(b), FourBlocks.LATER).reinterpretAsInts();
        // The minimum in the lower half, the factor in the upper one.
        IntVector head =
            factors
                .selectFrom(a)
                .blend(factors.selectFrom(b), FourBlocks.LATER)
                .reinterpretAsInts();
        FloatVector d =
            bias.mul(head.lanewise(ASHR, 3).and(FourBlocks.HALF_BITS).reinterpretAsFloats());
        FloatVector m =
            bias.mul(head.lanewise(LSHL, 16).lanewise(ASHR, 3).and(minima).reinterpretAsFloats());
        IntVector g = f.lanewise(LSHR, FOUR_BITS);
        IntVector p = z.and(lowNibbles).or(g.and(15).mul(spread).and(fifths));
        IntVector q =
            z.lanewise(LSHR, 4)
                .and(lowNibbles)
                .or(g.lanewise(LSHR, 16).and(15).mul(spread).and(fifths));
        FloatVector sums = loadFloats(s);
        minimum = sums.fma(m, minimum);
        FloatVector even = sums.mul(negated);
        even = biased(p.lanewise(LSHL, 16), fiveBits, float128).fma(loadFloats(x + 0), even);
        FloatVector odd = biased(p.lanewise(LSHL, 8), fiveBits, float128).mul(loadFloats(x + 64));
        even = biased(p, fiveBits, float128).fma(loadFloats(x + 128), even);
        odd = biased(p.lanewise(LSHR, 8), fiveBits, float128).fma(loadFloats(x + 192), odd);
        even = biased(q.lanewise(LSHL, 16), fiveBits, float128).fma(loadFloats(x + 256), even);
        odd = biased(q.lanewise(LSHL, 8), fiveBits, float128).fma(loadFloats(x + 320), odd);
        even = biased(q, fiveBits, float128).fma(loadFloats(x + 384), even);
        odd = biased(q.lanewise(LSHR, 8), fiveBits, float128).fma(loadFloats(x + 448), odd);
        sum = d.fma(even.add(odd), sum);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(sum.add(minimum)));
    }
  }
}
