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
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q6_K rows in place, in 16-bit integers, 256 and 128 bits.
 *
 * <p>Six bits are put together in bytes, two to a 16-bit lane; the 32 that the format subtracts is
 * taken out by the sums of {@link QuantisedRow}. Two passes over a row, as in {@link
 * Q4KIntegerProduct}.
 */
final class Q6KIntegerProduct {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 210;
  private static final int OFFSET = 32;

  /** Weights that share a scale. */
  static final int GROUP = 16;

  /** Two products are added in a lane, then two lanes: 4 · 63 · 127 is less than 2^15. */
  static final int LIMIT = 127;

  /** Vectors of 32 weights. */
  private static final int VECTORS = 32 / BYTES;

  /** Each of the first factors to the four ints of its group. */
  private static final VectorShuffle<Float> GROUPS = VectorShuffle.fromOp(FLOATS, lane -> lane / 4);

  private Q6KIntegerProduct() {}

  /** As {@link Q4KIntegerProduct#multiply}. */
  static void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
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
      int last = IntVector.fromMemorySegment(INTS_4, MEMORY, w + 2, ORDER).lane(3);
      FloatVector d = FloatVector.broadcast(FLOATS, Float.float16ToFloat((short) (last >> 16)));
      ByteVector eight = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w, ORDER);
      ByteVector next = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 8, ORDER);
      FloatVector scales = d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 0));
      offsets =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums, ORDER).fma(scales, offsets);
      FloatVector factors = FloatVector.fromMemorySegment(FLOATS, MEMORY, steps, ORDER).mul(scales);
      factors.intoMemorySegment(MEMORY, to, ORDER);
      biases = bias.fma(factors, biases);
      scales = d.mul((FloatVector) next.convertShape(B2F, FLOATS, 0));
      offsets =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums + 32, ORDER)
              .fma(scales, offsets);
      factors = FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + 32, ORDER).mul(scales);
      factors.intoMemorySegment(MEMORY, to + 32, ORDER);
      biases = bias.fma(factors, biases);
      if (COUNT == 4) {
        scales = d.mul((FloatVector) eight.convertShape(B2F, FLOATS, 1));
        offsets =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums + 16, ORDER)
                .fma(scales, offsets);
        factors = FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + 16, ORDER).mul(scales);
        factors.intoMemorySegment(MEMORY, to + 16, ORDER);
        biases = bias.fma(factors, biases);
        scales = d.mul((FloatVector) next.convertShape(B2F, FLOATS, 1));
        offsets =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + toSums + 48, ORDER)
                .fma(scales, offsets);
        factors = FloatVector.fromMemorySegment(FLOATS, MEMORY, steps + 48, ORDER).mul(scales);
        factors.intoMemorySegment(MEMORY, to + 48, ORDER);
        biases = bias.fma(factors, biases);
      }
    }
    FloatVector lanes = biases.add(offsets);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return OFFSET * (lanes.lane(0) + lanes.lane(1));
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
      ShortVector a = ShortVector.fromMemorySegment(SHORTS, MEMORY, z, ORDER);
      ShortVector b = ShortVector.fromMemorySegment(SHORTS, MEMORY, z + 32, ORDER);
      ShortVector h = ShortVector.fromMemorySegment(SHORTS, MEMORY, pairs, ORDER);
      ShortVector six0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(twos));
      IntVector p0 =
          six0.and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 0, ORDER))
              .add(
                  six0.lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 0 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 0, ORDER)
              .rearrange(GROUPS)
              .fma((FloatVector) p0.add(p0.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector six1 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(twos));
      IntVector p1 =
          six1.and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64, ORDER))
              .add(
                  six1.lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 8, ORDER)
              .rearrange(GROUPS)
              .fma((FloatVector) p1.add(p1.lanewise(LSHL, 16)).convert(I2F, 0), odd);
      ShortVector six2 = a.lanewise(LSHR, 4).and(nibbles).or(h.and(twos));
      IntVector p2 =
          six2.and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 128, ORDER))
              .add(
                  six2.lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 128 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 16, ORDER)
              .rearrange(GROUPS)
              .fma((FloatVector) p2.add(p2.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector six3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 2).and(twos));
      IntVector p3 =
          six3.and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 192, ORDER))
              .add(
                  six3.lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 192 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 24, ORDER)
              .rearrange(GROUPS)
              .fma((FloatVector) p3.add(p3.lanewise(LSHL, 16)).convert(I2F, 0), odd);
    }
    FloatVector lanes = even.add(odd);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return lanes.lane(0) + lanes.lane(1);
  }
}
