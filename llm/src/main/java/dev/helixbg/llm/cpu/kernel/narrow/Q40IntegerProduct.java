package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.times;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.ShortProducts;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;

/**
 * Matrix × vector for Q4_0 rows in place, in 16-bit integers, 256 and 128 bits: as many blocks at a
 * time as have their 16 bytes of nibbles in a vector.
 */
public final class Q40IntegerProduct implements RowKernel {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 18;
  private static final int NIBBLE_BYTES = 16;

  /** Taken from each nibble. */
  private static final int ZERO = 8;

  /** Four products are added in a lane, then two lanes: 8 · 15 · 255 is less than 2^15. */
  private static final int LIMIT = 255;

  private static final int BLOCKS = BYTES / NIBBLE_BYTES;

  /** Weights of a vector of nibbles; columns must be a multiple. */
  private static final int WEIGHTS = BLOCK * BLOCKS;

  /** Where the second of two blocks is. */
  private static final VectorMask<Integer> SECOND = VectorMask.fromLong(INTS, 0xF0);

  private static final VectorMask<Float> SECOND_FLOATS = VectorMask.fromLong(FLOATS, 0xF0);

  @Override
  public int floats(int columns) {
    return columns / 2 + columns / 4;
  }

  /**
   * The activations as shorts, per vector of nibbles in four vectors: those for the low nibbles of
   * even bytes, of odd bytes, for the high ones of both. Then, in the four lanes of each block, the
   * step; then, in four lanes, what the {@link #ZERO} adds and the bias, see {@link QuantisedRow}.
   */
  @Override
  public void prepare(long x, int columns, long prepared) {
    long steps = prepared + 2L * columns;
    long toOffsets = columns / 2L;
    for (int block = 0; block < columns / BLOCK; block++) {
      long from = x + 4L * BLOCK * block;
      float max = Math.max(QuantisedRow.largest(from), QuantisedRow.largest(from + 64));
      float inverse = max == 0 ? 0 : LIMIT / max;
      long at = prepared + block / BLOCKS * 4L * BYTES + block % BLOCKS * NIBBLE_BYTES;
      float sum =
          QuantisedRow.round(from, inverse, at, at + BYTES)
              + QuantisedRow.round(from + 64, inverse, at + 2 * BYTES, at + 3 * BYTES);
      if (block % BLOCKS == BLOCKS - 1) {
        long vectors = prepared + block / BLOCKS * 4L * BYTES;
        carry(vectors);
      }
      float step = max / LIMIT;
      for (int lane = 0; lane < 4; lane++) {
        long to = steps + 16L * block + 4L * lane;
        MEMORY.set(FLOAT, to, step * QuantisedRow.UNIT);
        MEMORY.set(
            FLOAT, to + toOffsets, step * (QuantisedRow.BIAS * QuantisedRow.UNIT - ZERO / 4 * sum));
      }
    }
  }

  /**
   * As {@link QuantisedRow#carry}, of nibbles: an int times 16 bits, shifted by 0, 4, 8 and 12.
   * Each of its nibbles meets the activations of those below it, too, times 16, 256 and so on. Less
   * 16 times the one before, which meets the next lower, each activation meets only its own.
   */
  private static void carry(long address) {
    IntVector evenLow = loadInts(address);
    IntVector oddLow = loadInts(address + BYTES);
    IntVector evenHigh = loadInts(address + 2 * BYTES);
    IntVector oddHigh = loadInts(address + 3 * BYTES);
    evenLow.sub(oddHigh.lanewise(LSHL, 20)).intoMemorySegment(MEMORY, address, ORDER);
    oddLow
        .reinterpretAsShorts()
        .sub(evenHigh.reinterpretAsShorts().mul((short) 16))
        .intoMemorySegment(MEMORY, address + BYTES, ORDER);
    evenHigh
        .reinterpretAsShorts()
        .sub(evenLow.reinterpretAsShorts().mul((short) 16))
        .intoMemorySegment(MEMORY, address + 2 * BYTES, ORDER);
    oddHigh
        .reinterpretAsShorts()
        .sub(oddLow.reinterpretAsShorts().mul((short) 16))
        .intoMemorySegment(MEMORY, address + 3 * BYTES, ORDER);
  }

  @Override
  public int multiple() {
    return WEIGHTS;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long steps = prepared + 2L * columns;
    long toOffsets = columns / 2L;
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      long at = prepared;
      FloatVector sum = FloatVector.zero(FLOATS);
      for (long s = steps; s != steps + toOffsets; s += BYTES, at += 4 * BYTES) {
        IntVector z = loadInts(w + 2);
        FloatVector d = broadcastHalf(w);
        if (BLOCKS == 2) {
          // The second block is in the upper half of what begins at its head.
          z = z.blend(loadInts(w + 4), SECOND);
          d = d.blend(broadcastHalf(w + BLOCK_BYTES), SECOND_FLOATS);
        }
        ShortVector sums =
            times(z, at)
                .add(times(z.lanewise(LSHR, 4), at + 2 * BYTES))
                .add(
                    times(z.lanewise(LSHR, 8), at + BYTES)
                        .add(times(z.lanewise(LSHR, 12), at + 3 * BYTES)));
        FloatVector products = ShortProducts.add(sums, loadFloats(s), loadFloats(s + toOffsets));
        sum = d.fma(products, sum);
        w += BLOCKS * BLOCK_BYTES;
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(sum));
    }
  }
}
