package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.add;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofBytes;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.SubBlockScales;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Matrix × vector for Q5_K rows in place, in 16-bit integers, 256 and 128 bits: as {@link
 * Q4KIntegerProduct}, with bits put together as in {@link Q6KIntegerProduct}. Bit s of byte j of a
 * block's fifth bits is that of weight j of sub-block s.
 */
public final class Q5KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 176;

  /** Two products are added in a lane, then two lanes: 4 · 31 · 255 is less than 2^15. */
  private static final int LIMIT = 255;

  /** Vectors of 32 bytes. */
  private static final int VECTORS = 32 / BYTES;

  /** Bias of the eight ints that a sub-block's products are in, at 128 bits, too. */
  private static final FloatVector BIAS = Q4KIntegerProduct.ofFactors(8 * QuantisedRow.BIAS, 0);

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, Q4KIntegerProduct.GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    QuantisedRow.quantise(x, columns, Q4KIntegerProduct.GROUP, LIMIT, 1, 0, prepared);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long f = own.room(columns) & ADDRESS;
    long end = x + 2L * columns;
    IntVector low = IntVector.broadcast(INTS, 0x0F0F0F0F);
    IntVector fifths = IntVector.broadcast(INTS, 0x10101010);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minima = sum;
      long steps = end;
      for (long at = x; at != end; at += 2 * BLOCK, steps += 64, w += BLOCK_BYTES) {
        IntVector first = SubBlockScales.first(w);
        IntVector second = SubBlockScales.second(w);
        FloatVector factors = SubBlockScales.factors(first, steps, f);
        factors = SubBlockScales.factors(second, steps + 32, f + 32).add(factors);
        FloatVector offsets = factors;
        if (COUNT == 4) {
          offsets = SubBlockScales.minima(first, second, steps);
        }
        minima = broadcastHalf((w & ADDRESS) + 2).fma(offsets, minima);
        FloatVector even = BIAS.mul(factors);
        FloatVector odd = FloatVector.zero(FLOATS);
        for (int vector = 0; vector < VECTORS; vector++) {
          long bits = w + 16 + vector * BYTES;
          long to32 = at + vector * 2L * BYTES;
          IntVector h = loadInts(bits);
          IntVector z = loadInts(bits + 32);
          IntVector five0 = z.and(low).or(h.lanewise(LSHL, 4).and(fifths));
          even = add(ofBytes(five0, to32), broadcastFloat(f), even);
          IntVector five1 = z.lanewise(LSHR, 4).and(low).or(h.lanewise(LSHL, 3).and(fifths));
          odd = add(ofBytes(five1, to32 + 64), broadcastFloat(f + 4), odd);
          z = loadInts(bits + 64);
          IntVector five2 = z.and(low).or(h.lanewise(LSHL, 2).and(fifths));
          even = add(ofBytes(five2, to32 + 128), broadcastFloat(f + 8), even);
          IntVector five3 = z.lanewise(LSHR, 4).and(low).or(h.lanewise(LSHL, 1).and(fifths));
          odd = add(ofBytes(five3, to32 + 192), broadcastFloat(f + 12), odd);
          z = loadInts(bits + 96);
          IntVector five4 = z.and(low).or(h.and(fifths));
          even = add(ofBytes(five4, to32 + 256), broadcastFloat(f + 32), even);
          IntVector five5 = z.lanewise(LSHR, 4).and(low).or(h.lanewise(LSHR, 1).and(fifths));
          odd = add(ofBytes(five5, to32 + 320), broadcastFloat(f + 36), odd);
          z = loadInts(bits + 128);
          IntVector five6 = z.and(low).or(h.lanewise(LSHR, 2).and(fifths));
          even = add(ofBytes(five6, to32 + 384), broadcastFloat(f + 40), even);
          IntVector five7 = z.lanewise(LSHR, 4).and(low).or(h.lanewise(LSHR, 3).and(fifths));
          odd = add(ofBytes(five7, to32 + 448), broadcastFloat(f + 44), odd);
        }
        sum = broadcastHalf(w & ADDRESS).fma(even.add(odd), sum);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(Q4KIntegerProduct.MINIMA.fma(minima, sum)));
    }
  }
}
