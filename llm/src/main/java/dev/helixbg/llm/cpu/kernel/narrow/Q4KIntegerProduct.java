package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.SixBits;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.ShortProducts;
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
public final class Q4KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 144;
  private static final int SUBS = 8;

  /** Weights of a sub-block. */
  static final int GROUP = BLOCK / SUBS;

  /**
   * So many products are added in 16 bits, those of two lanes together: 4 · 15 · 511, or at 128
   * bits 8 · 15 · 255, is less than 2^15.
   */
  private static final int LIMIT = COUNT == 8 ? 511 : 255;

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    QuantisedRow.quantise(x, columns, GROUP, LIMIT, prepared);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long scratch = own.room(columns);
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
      IntVector head = loadInts4(w);
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
          d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 0)).mul(loadFloats(steps));
      scales.intoMemorySegment(MEMORY, to, ORDER);
      biases = bias.fma(scales, biases);
      minima =
          loadFloats(steps + toSums)
              .fma(m.mul((FloatVector) eightMinima.convertShape(B2F, FLOATS, 0)), minima);
      if (COUNT == 4) {
        scales =
            d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 1)).mul(loadFloats(steps + 16));
        scales.intoMemorySegment(MEMORY, to + 16, ORDER);
        biases = bias.fma(scales, biases);
        minima =
            loadFloats(steps + toSums + 16)
                .fma(m.mul((FloatVector) eightMinima.convertShape(B2F, FLOATS, 1)), minima);
      }
      w += blockBytes;
      to += 4 * SUBS;
    }
    return LaneSums.sum(biases.add(minima));
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
      ShortVector z = loadShorts(w);
      ShortVector a =
          z.and(fifteen)
              .mul(loadShorts(at))
              .add(z.lanewise(LSHR, 8).and(fifteen).mul(loadShorts(at + BYTES)));
      ShortVector b =
          z.lanewise(LSHR, 4)
              .and(fifteen)
              .mul(loadShorts(at + 64))
              .add(z.lanewise(LSHR, 12).mul(loadShorts(at + 64 + BYTES)));
      if (COUNT == 4) {
        ShortVector n = loadShorts(w + BYTES);
        a =
            n.and(fifteen)
                .mul(loadShorts(at + 32))
                .add(a)
                .add(n.lanewise(LSHR, 8).and(fifteen).mul(loadShorts(at + 48)));
        b =
            n.lanewise(LSHR, 4)
                .and(fifteen)
                .mul(loadShorts(at + 96))
                .add(b)
                .add(n.lanewise(LSHR, 12).mul(loadShorts(at + 112)));
      }
      FloatVector factors = loadFloats(factor);
      even = ShortProducts.add(a, factors.rearrange(QuantisedRow.FIRST), even);
      odd = ShortProducts.add(b, factors.rearrange(QuantisedRow.SECOND), odd);
      // From the last nibbles of a block to the first of the next.
      w += (at - x & 384) == 384 ? GROUP + BLOCK_BYTES - 128 : GROUP;
    }
    return LaneSums.sum(even.add(odd));
  }
}
