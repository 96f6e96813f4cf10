package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × vector for Q4_1, Q5_0 and Q5_1 rows in place, 512 bits, four blocks of 32 at a time in
 * the layout of {@link FourBlocks}. The bits of a weight are put together and read as 128 + q as in
 * {@link Q6KProduct}; the offset and the minimum meet sums of the activations.
 */
final class FifthBitProduct {
  private static final int FIVE_BITS = 0x001F0000;
  private static final int FLOAT_128 = 0x43000000;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;

  /** Times four bits: bit k comes to bit 8 · k + 4. */
  private static final int SPREAD = 1 << 4 | 1 << 11 | 1 << 18 | 1 << 25;

  private static final int SPREAD_BITS = 0x10101010;

  /** Of a block's 32 fifth bits, lane i of its four wants four from bit 4 · i on. */
  private static final IntVector FOUR_BITS =
      IntVector.fromArray(INTS, new int[] {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12}, 0);

  private FifthBitProduct() {}

  /** As {@link #multiply}, with what differs between the types. */
  static void multiplyQ41(long weights, int columns, long prepared, long y, int from, int to) {
    multiply(weights, columns, prepared, y, from, to, FourBlocks.Q4_1, 20, 128, 0, -1);
  }

  /** As {@link #multiplyQ41}. */
  static void multiplyQ50(long weights, int columns, long prepared, long y, int from, int to) {
    multiply(
        weights, columns, prepared, y, from, to, FourBlocks.Q5_0, 22, 128 + 16, SPREAD_BITS, 0);
  }

  /** As {@link #multiplyQ41}. */
  static void multiplyQ51(long weights, int columns, long prepared, long y, int from, int to) {
    multiply(weights, columns, prepared, y, from, to, FourBlocks.Q5_1, 24, 128, SPREAD_BITS, -1);
  }

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 128
   * @param prepared what {@link FourBlocks#prepare} wrote
   * @param places such as {@link FourBlocks#Q4_1}
   * @param offset that all weights have too much, before their factor
   * @param fifthBits to keep of the fifth bits, in each byte
   * @param minimumBits to keep of the minimum: none or all
   */
  private static void multiply(
      long weights,
      int columns,
      long prepared,
      long y,
      int from,
      int to,
      long places,
      int blockBytes,
      float offset,
      int fifthBits,
      int minimumBits) {
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
    ShortVector nibbles = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, places, ORDER);
    ShortVector bits = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, places + 64, ORDER);
    ShortVector factors =
        ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, places + 128, ORDER);
    for (int row = from; row < to; row++) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minimum = sum;
      long x = prepared;
      long s = prepared + 4L * columns;
      for (int column = 0;
          column < columns;
          column += FourBlocks.WEIGHTS, w += 4L * blockBytes, x += 512, s += 64) {
        ShortVector a = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, w, ORDER);
        ShortVector b = ShortVector.fromMemorySegment(FourBlocks.SHORTS, MEMORY, w + second, ORDER);
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
        FloatVector sums = FloatVector.fromMemorySegment(FLOATS, MEMORY, s, ORDER);
        minimum = sums.fma(m, minimum);
        FloatVector even = sums.mul(negated);
        even =
            p.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 0, ORDER), even);
        FloatVector odd =
            p.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 64, ORDER));
        even =
            p.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 128, ORDER), even);
        odd =
            p.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 192, ORDER), odd);
        even =
            q.lanewise(LSHL, 16)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 256, ORDER), even);
        odd =
            q.lanewise(LSHL, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 320, ORDER), odd);
        even =
            q.and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 384, ORDER), even);
        odd =
            q.lanewise(LSHR, 8)
                .and(fiveBits)
                .or(float128)
                .reinterpretAsFloats()
                .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 448, ORDER), odd);
        sum = d.fma(even.add(odd), sum);
      }
      FloatVector sixteen = sum.add(minimum);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
