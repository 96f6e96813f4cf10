package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadSignedBytes;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.add;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.factors;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofBytes;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Computes matrix-vector products with rows of Q6_K weights, which are read in place. The kernel
 * computes in 16-bit integers, with vectors of 256 or 128 bits.
 *
 * <p>Quanta (stored integers) of six bits are assembled as bytes; a 16-bit lane has two quanta. The
 * format subtracts 32 from each quantum; the offsets of {@link QuantisedRow} have the same effect.
 * The factors (scale times rounding step) of a block's groups are first written to scratch memory,
 * as in {@link NibbleIntegerProduct}.
 */
public final class Q6KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 210;
  private static final int OFFSET = 32;
  private static final int GROUP = 16;

  /**
   * Largest magnitude of a rounded activation. The sum of four products must fit a short: 4 · 63 ·
   * 127 &lt; 2^15.
   */
  private static final int LIMIT = 127;

  private static final int VECTORS = 32 / BYTES;

  /**
   * Shuffle that copies factor 0 to a vector's lower half and factor 1 to the upper half. The next
   * three shuffles do the same with factors 2 to 7.
   */
  private static final VectorShuffle<Float> PAIR_0 = pair(0);

  private static final VectorShuffle<Float> PAIR_1 = pair(2);
  private static final VectorShuffle<Float> PAIR_2 = pair(4);
  private static final VectorShuffle<Float> PAIR_3 = pair(6);

  private static VectorShuffle<Float> pair(int first) {
    return VectorShuffle.fromOp(FLOATS, lane -> (first + lane / 4) % COUNT);
  }

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    float bias = 4 * QuantisedRow.BIAS * QuantisedRow.UNIT;
    QuantisedRow.quantise(x, columns, GROUP, LIMIT, OFFSET, bias, prepared);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long factors = scratch & ADDRESS;
    long end = x + 2L * columns;
    IntVector nibbles = IntVector.broadcast(INTS, 0x0F0F0F0F);
    IntVector twos = IntVector.broadcast(INTS, 0x30303030);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      long steps = end;
      for (long at = x; at != end; at += 2 * BLOCK, steps += 128, w += BLOCK_BYTES) {
        // For each of 16 groups, the scale times the step is written to scratch memory, and the
        // scale times the offset is added to the sums.
        FloatVector even = FloatVector.zero(FLOATS);
        FloatVector odd = even;
        for (int lane = 0; lane < 8; lane += COUNT) {
          FloatVector scales = loadSignedBytes(w + 192 + lane);
          long place = 4L * lane;
          loadFloats(steps + place).mul(scales).intoMemorySegment(MEMORY, factors + place, ORDER);
          even = loadFloats(steps + 32 + place).fma(scales, even);
          scales = loadSignedBytes(w + 200 + lane);
          loadFloats(steps + 64 + place)
              .mul(scales)
              .intoMemorySegment(MEMORY, factors + 32 + place, ORDER);
          odd = loadFloats(steps + 96 + place).fma(scales, odd);
        }
        for (int vector = 0; vector < VECTORS; vector++) {
          long z = w + vector * BYTES;
          long to32 = at + vector * 2L * BYTES;
          long factor = factors + 4L * vector;
          IntVector a = loadInts(z);
          IntVector b = loadInts(z + 32);
          IntVector h = loadInts(z + 128);
          IntVector six0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(twos));
          even = add(ofBytes(six0, to32), factors(factor, 0, PAIR_0), even);
          IntVector six1 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(twos));
          odd = add(ofBytes(six1, to32 + 64), factors(factor, 8, PAIR_1), odd);
          IntVector six2 = a.lanewise(LSHR, 4).and(nibbles).or(h.and(twos));
          even = add(ofBytes(six2, to32 + 128), factors(factor, 16, PAIR_2), even);
          IntVector six3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 2).and(twos));
          odd = add(ofBytes(six3, to32 + 192), factors(factor, 24, PAIR_3), odd);
          a = loadInts(z + 64);
          b = loadInts(z + 96);
          h = loadInts(z + 160);
          six0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(twos));
          even = add(ofBytes(six0, to32 + 256), factors(factor + 32, 0, PAIR_0), even);
          six1 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(twos));
          odd = add(ofBytes(six1, to32 + 320), factors(factor + 32, 8, PAIR_1), odd);
          six2 = a.lanewise(LSHR, 4).and(nibbles).or(h.and(twos));
          even = add(ofBytes(six2, to32 + 384), factors(factor + 32, 16, PAIR_2), even);
          six3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 2).and(twos));
          odd = add(ofBytes(six3, to32 + 448), factors(factor + 32, 24, PAIR_3), odd);
        }
        sum = broadcastHalf((w & ADDRESS) + 208).fma(even.add(odd), sum);
      }
      MEMORY.set(FLOAT, y + 4L * row, sumOfLanes(sum));
    }
  }
}
