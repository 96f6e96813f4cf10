package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS_4;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORTS;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × vector for Q4_K rows in place, in 16-bit integers, 256 and 128 bits.
 *
 * <p>Two passes over a row, which is in the first-level cache for the second: the factors of all
 * sub-blocks, then the products. Together they outgrow what C2 inlines. The nibbles of a 16-bit
 * lane meet their activations, in the order of {@link QuantisedRow}, by shifts and masks.
 */
final class Q4KIntegerProduct {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 144;
  private static final int SUBS = 8;

  /** Weights of a sub-block. */
  static final int GROUP = BLOCK / SUBS;

  /**
   * So many products are added in 16 bits, those of two lanes together: 4 · 15 · 511, or at 128
   * bits 8 · 15 · 255, is less than 2^15.
   */
  static final int LIMIT = COUNT == 8 ? 511 : 255;

  private Q4KIntegerProduct() {}

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 256
   * @param x as {@link QuantisedRow} has it, with {@link #LIMIT}
   * @param scratch {@code columns} floats
   */
  static void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      float offset = factors(w, BLOCK_BYTES, COUNT, columns, x, scratch);
      MEMORY.set(FLOAT, y + 4L * row, offset + products(w + 16, columns, x, scratch));
    }
  }

  /**
   * The scale of each sub-block times its step, to {@code scratch}; of Q5_K, too.
   *
   * @param ints that the products of a sub-block are in
   * @return what the minima add, and takes off what {@link #products} has too much
   */
  static float factors(long block, int blockBytes, int ints, int columns, long x, long scratch) {
    long w = block;
    long toSums = 4L * (columns / GROUP);
    long steps = QuantisedRow.steps(x, columns);
    FloatVector bias = FloatVector.broadcast(FLOATS, ints * QuantisedRow.BIAS);
    FloatVector minima = FloatVector.zero(FLOATS);
    FloatVector biases = minima;
    long to = scratch;
    long bytes = scratch + toSums;
    for (long end = steps + toSums; steps != end; steps += 4 * SUBS) {
      IntVector head = IntVector.fromMemorySegment(INTS_4, MEMORY, w, ORDER);
      // As bytes: eight scales, eight minima.
      head.rearrange(SixBits.FIRST)
          .lanewise(LSHR, SixBits.FIRST_SHIFT)
          .and(SixBits.FIRST_MASK)
          .or(
              head.rearrange(SixBits.SECOND)
                  .lanewise(LSHR, SixBits.SECOND_SHIFT)
                  .and(SixBits.SECOND_MASK))
          .intoMemorySegment(MEMORY, bytes, ORDER);
      int halves = head.lane(0);
      FloatVector d = FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) halves));
      FloatVector m = FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) (halves >> 16)));
      ByteVector eight = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, bytes, ORDER);
      ByteVector eightMinima =
          ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, bytes + 8, ORDER);
      FloatVector scales =
          d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 0))
              .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, steps, ORDER));
      scales.intoMemorySegment(MEMORY, to, ORDER);
      biases = bias.fma(scales, biases);
      minima =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums, ORDER)
              .fma(m.mul((FloatVector) eightMinima.convertShape(B2F, FLOATS, 0)), minima);
      if (COUNT == 4) {
        scales =
            d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 1))
                .mul(FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + 16, ORDER));
        scales.intoMemorySegment(MEMORY, to + 16, ORDER);
        biases = bias.fma(scales, biases);
        minima =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums + 16, ORDER)
                .fma(m.mul((FloatVector) eightMinima.convertShape(B2F, FLOATS, 1)), minima);
      }
      w += blockBytes;
      to += 4 * SUBS;
    }
    FloatVector lanes = biases.add(minima);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return lanes.lane(0) + lanes.lane(1);
  }

  /** Of a row's nibbles, from the first block's on. */
  private static float products(long nibbles, int columns, long x, long scratch) {
    ShortVector fifteen = ShortVector.broadcast(SHORTS, (short) 15);
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = even;
    long end = x + 2L * columns;
    long factor = scratch;
    long w = nibbles;
    for (long at = x; at != end; at += 4 * GROUP, factor += 8) {
      ShortVector z = ShortVector.fromMemorySegment(SHORTS, MEMORY, w, ORDER);
      ShortVector a =
          z.and(fifteen)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at, ORDER))
              .add(
                  z.lanewise(LSHR, 8)
                      .and(fifteen)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + BYTES, ORDER)));
      ShortVector b =
          z.lanewise(LSHR, 4)
              .and(fifteen)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64, ORDER))
              .add(
                  z.lanewise(LSHR, 12)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64 + BYTES, ORDER)));
      if (COUNT == 4) {
        ShortVector n = ShortVector.fromMemorySegment(SHORTS, MEMORY, w + BYTES, ORDER);
        a =
            n.and(fifteen)
                .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 32, ORDER))
                .add(a)
                .add(
                    n.lanewise(LSHR, 8)
                        .and(fifteen)
                        .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 48, ORDER)));
        b =
            n.lanewise(LSHR, 4)
                .and(fifteen)
                .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 96, ORDER))
                .add(b)
                .add(
                    n.lanewise(LSHR, 12)
                        .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 112, ORDER)));
      }
      IntVector low = a.reinterpretAsInts();
      IntVector high = b.reinterpretAsInts();
      FloatVector factors = FloatVector.fromMemorySegment(FLOATS, MEMORY, factor, ORDER);
      even =
          factors
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) low.add(low.lanewise(LSHL, 16)).convert(I2F, 0), even);
      odd =
          factors
              .rearrange(QuantisedRow.SECOND)
              .fma((FloatVector) high.add(high.lanewise(LSHL, 16)).convert(I2F, 0), odd);
      // From the last nibbles of a block to the first of the next.
      w += (at - x & 384) == 384 ? GROUP + BLOCK_BYTES - 128 : GROUP;
    }
    FloatVector lanes = even.add(odd);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return lanes.lane(0) + lanes.lane(1);
  }
}
