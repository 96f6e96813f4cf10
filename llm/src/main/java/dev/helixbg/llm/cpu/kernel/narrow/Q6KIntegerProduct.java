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
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.ShortProducts;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q6_K rows in place, in 16-bit integers, 256 and 128 bits.
 *
 * <p>Six bits are put together in bytes, two to a 16-bit lane; the 32 that the format subtracts is
 * taken out by the sums of {@link QuantisedRow}. Two passes over a row, as in {@link
 * Q4KIntegerProduct}.
 */
public final class Q6KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 210;
  private static final int OFFSET = 32;

  /** Weights that share a scale. */
  private static final int GROUP = 16;

  /** Two products are added in a lane, then two lanes: 4 · 63 · 127 is less than 2^15. */
  private static final int LIMIT = 127;

  /** Vectors of 32 weights. */
  private static final int VECTORS = 32 / BYTES;

  /** Each of the first factors to the four ints of its group. */
  private static final VectorShuffle<Float> GROUPS = VectorShuffle.fromOp(FLOATS, lane -> lane / 4);

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
      float offset = factors(w, columns, x, scratch);
      MEMORY.set(FLOAT, y + 4L * row, offset + products(w, columns, x, scratch));
    }
  }

  /**
   * The scale of each group times its step, to {@code scratch}.
   *
   * @return what the 32 adds, and takes off what {@link #products} has too much
   */
  private static float factors(long row, int columns, long x, long scratch) {
    long toSums = 4L * (columns / GROUP);
    long steps = QuantisedRow.steps(x, columns);
    FloatVector bias = FloatVector.broadcast(FLOATS, 4 * QuantisedRow.BIAS / OFFSET);
    FloatVector offsets = FloatVector.zero(FLOATS);
    FloatVector biases = offsets;
    long w = row + 192;
    long to = scratch;
    for (long end = steps + toSums; steps != end; steps += 64, to += 64, w += BLOCK_BYTES) {
      int last = loadInts4(w + 2).lane(3);
      FloatVector d = FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) (last >> 16)));
      ByteVector eight = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w, ORDER);
      ByteVector next = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 8, ORDER);
      FloatVector scales = d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 0));
      offsets = loadFloats(steps + toSums).fma(scales, offsets);
      FloatVector factors = loadFloats(steps).mul(scales);
      factors.intoMemorySegment(MEMORY, to, ORDER);
      biases = bias.fma(factors, biases);
      scales = d.mul((FloatVector) next.convertShape(B2F, FLOATS, 0));
      offsets = loadFloats(steps + toSums + 32).fma(scales, offsets);
      factors = loadFloats(steps + 32).mul(scales);
      factors.intoMemorySegment(MEMORY, to + 32, ORDER);
      biases = bias.fma(factors, biases);
      if (COUNT == 4) {
        scales = d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 1));
        offsets = loadFloats(steps + toSums + 16).fma(scales, offsets);
        factors = loadFloats(steps + 16).mul(scales);
        factors.intoMemorySegment(MEMORY, to + 16, ORDER);
        biases = bias.fma(factors, biases);
        scales = d.mul((FloatVector) next.convertShape(B2F, FLOATS, 1));
        offsets = loadFloats(steps + toSums + 48).fma(scales, offsets);
        factors = loadFloats(steps + 48).mul(scales);
        factors.intoMemorySegment(MEMORY, to + 48, ORDER);
        biases = bias.fma(factors, biases);
      }
    }
    return OFFSET * LaneSums.sum(biases.add(offsets));
  }

  /** Half a block, or at 128 bits every other 16 weights of it, at a time. */
  private static float products(long w, int columns, long x, long scratch) {
    ShortVector nibbles = ShortVector.broadcast(SHORTS, 0x0F0F);
    ShortVector twos = ShortVector.broadcast(SHORTS, 0x3030);
    ShortVector low = ShortVector.broadcast(SHORTS, 63);
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = even;
    int count = columns / 128 * VECTORS;
    for (int i = 0; i < count; i++) {
      int half = i / VECTORS;
      long block = w + (half >>> 1) * (long) BLOCK_BYTES + i % VECTORS * BYTES;
      long z = block + (half & 1) * 64;
      long pairs = block + 128 + (half & 1) * 32;
      long at = x + half * 256L + i % VECTORS * 2L * BYTES;
      long factor = scratch + half * 32L + i % VECTORS * 4L;
      ShortVector a = loadShorts(z);
      ShortVector b = loadShorts(z + 32);
      ShortVector h = loadShorts(pairs);
      ShortVector six0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(twos));
      even =
          ShortProducts.addBytes(six0, low, at + 0, loadFloats(factor + 0).rearrange(GROUPS), even);
      ShortVector six1 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(twos));
      odd =
          ShortProducts.addBytes(six1, low, at + 64, loadFloats(factor + 8).rearrange(GROUPS), odd);
      ShortVector six2 = a.lanewise(LSHR, 4).and(nibbles).or(h.and(twos));
      even =
          ShortProducts.addBytes(
              six2, low, at + 128, loadFloats(factor + 16).rearrange(GROUPS), even);
      ShortVector six3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 2).and(twos));
      odd =
          ShortProducts.addBytes(
              six3, low, at + 192, loadFloats(factor + 24).rearrange(GROUPS), odd);
    }
    return LaneSums.sum(even.add(odd));
  }
}
