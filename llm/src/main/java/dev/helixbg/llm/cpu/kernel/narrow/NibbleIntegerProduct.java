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
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.add;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofBytes;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofHigh;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofLow;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.lanes.SubBlockScales;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Computes matrix-vector products with rows of Q4_K or Q5_K weights, which are read in place. The
 * kernel computes in 16-bit integers, with vectors of 256 or 128 bits.
 *
 * <p>The factors of a block's sub-blocks are written to scratch memory, and a load broadcasts each
 * factor to a vector. Loads and stores cost little on Intel's processors. The kernel avoids
 * shuffles, and applies common factors of a block once.
 *
 * @param five whether quanta (stored integers) have a fifth bit (Q5_K). A block has 32 bytes of
 *     fifth bits: bit s of byte j belongs to weight j of sub-block s. Quanta are assembled as in
 *     {@link Q6KIntegerProduct}.
 */
public record NibbleIntegerProduct(boolean five) implements RowKernel {
  private static final int BLOCK = 256;
  private static final int Q4_K_BYTES = 144;
  private static final int Q5_K_BYTES = 176;
  private static final int SUBS = 8;
  private static final int GROUP = BLOCK / SUBS;
  private static final int VECTORS = 32 / BYTES;

  /**
   * Correction for a sub-block's products, which fill {@code COUNT} ints. {@link QuantisedRow#BIAS}
   * corrects one int. In lanes with minima of weights, the correction is 0.
   */
  private static final FloatVector BIAS_4 = ofFactors(COUNT * QuantisedRow.BIAS, 0);

  /** Correction like {@link #BIAS_4}, but for five-bit quanta, whose products fill eight ints. */
  private static final FloatVector BIAS_5 = ofFactors(8 * QuantisedRow.BIAS, 0);

  /**
   * Vector that is 1 in the lanes with minima of weights, and 0 in other lanes. Vectors of 256 bits
   * have minima in the last four lanes. With 128 bits, minima have a vector of their own.
   */
  private static final FloatVector MINIMA = ofFactors(COUNT == 8 ? 0 : 1, 1);

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    // All products in an int are added in 16 bits, so their sum must be below 2^15. The largest
    // sums are 4 · 15 · 511 for Q4_K at 256 bits, 8 · 15 · 255 for Q4_K at 128 bits, and 4 · 31 ·
    // 255 for Q5_K.
    int limit = COUNT == 8 && !five ? 511 : 255;
    QuantisedRow.quantise(x, columns, GROUP, limit, 1, 0, prepared);
  }

  private static FloatVector ofFactors(float factors, float others) {
    float[] lanes = new float[COUNT];
    Arrays.fill(lanes, others);
    Arrays.fill(lanes, 0, 4, factors);
    return FloatVector.fromArray(FLOATS, lanes, 0);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long factors = scratch & ADDRESS;
    if (five) {
      multiplyQ5K(weights, columns, x, y, from, to, step, factors);
    } else {
      multiplyQ4K(weights, columns, x, y, from, to, step, factors);
    }
  }

  private static void multiplyQ4K(
      long weights, int columns, long x, long y, int from, int to, int step, long f) {
    long rowBytes = columns / BLOCK * (long) Q4_K_BYTES;
    long end = x + 2L * columns;
    IntVector low = IntVector.broadcast(INTS, 0x0F0F0F0F);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minima = sum;
      long steps = end;
      for (long at = x; at != end; at += 2 * BLOCK, steps += 8 * SUBS, w += Q4_K_BYTES) {
        IntVector first = SubBlockScales.first(w);
        IntVector second = SubBlockScales.second(w);
        FloatVector factors = SubBlockScales.factors(first, steps, f);
        factors = SubBlockScales.factors(second, steps + 32, f + 32).add(factors);
        FloatVector offsets = factors;
        if (COUNT == 4) {
          offsets = SubBlockScales.minima(first, second, steps);
        }
        minima = broadcastHalf((w & ADDRESS) + 2).fma(offsets, minima);
        FloatVector even = BIAS_4.mul(factors);
        FloatVector odd = FloatVector.zero(FLOATS);
        even = add(ofLow(w + 16, low, at), broadcastFloat(f), even);
        odd = add(ofHigh(w + 16, low, at + 64), broadcastFloat(f + 4), odd);
        even = add(ofLow(w + 48, low, at + 128), broadcastFloat(f + 8), even);
        odd = add(ofHigh(w + 48, low, at + 192), broadcastFloat(f + 12), odd);
        even = add(ofLow(w + 80, low, at + 256), broadcastFloat(f + 32), even);
        odd = add(ofHigh(w + 80, low, at + 320), broadcastFloat(f + 36), odd);
        even = add(ofLow(w + 112, low, at + 384), broadcastFloat(f + 40), even);
        odd = add(ofHigh(w + 112, low, at + 448), broadcastFloat(f + 44), odd);
        sum = broadcastHalf(w & ADDRESS).fma(even.add(odd), sum);
      }
      MEMORY.set(FLOAT, y + 4L * row, sumOfLanes(MINIMA.fma(minima, sum)));
    }
  }

  private static void multiplyQ5K(
      long weights, int columns, long x, long y, int from, int to, int step, long f) {
    long rowBytes = columns / BLOCK * (long) Q5_K_BYTES;
    long end = x + 2L * columns;
    IntVector low = IntVector.broadcast(INTS, 0x0F0F0F0F);
    IntVector fifths = IntVector.broadcast(INTS, 0x10101010);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minima = sum;
      long steps = end;
      for (long at = x; at != end; at += 2 * BLOCK, steps += 8 * SUBS, w += Q5_K_BYTES) {
        IntVector first = SubBlockScales.first(w);
        IntVector second = SubBlockScales.second(w);
        FloatVector factors = SubBlockScales.factors(first, steps, f);
        factors = SubBlockScales.factors(second, steps + 32, f + 32).add(factors);
        FloatVector offsets = factors;
        if (COUNT == 4) {
          offsets = SubBlockScales.minima(first, second, steps);
        }
        minima = broadcastHalf((w & ADDRESS) + 2).fma(offsets, minima);
        FloatVector even = BIAS_5.mul(factors);
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
      MEMORY.set(FLOAT, y + 4L * row, sumOfLanes(MINIMA.fma(minima, sum)));
    }
  }
}
