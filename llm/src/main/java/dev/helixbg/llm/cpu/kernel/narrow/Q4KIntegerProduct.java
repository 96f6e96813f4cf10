package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.add;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofHigh;
import static dev.helixbg.llm.cpu.lanes.ShortProducts.ofLow;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.SubBlockScales;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Matrix × vector for Q4_K rows in place, in 16-bit integers, 256 and 128 bits.
 *
 * <p>The factors of a block's sub-blocks go to scratch memory, from where each fills a vector by
 * its load. On Intel's processors with 256 bits what is not a load or a store counts, 100
 * instructions of a block's 150, so nothing is shuffled, and what a block's sums have in common
 * they meet once.
 */
public final class Q4KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 144;
  private static final int SUBS = 8;

  /** Weights of a sub-block. */
  static final int GROUP = BLOCK / SUBS;

  /**
   * Largest magnitude of an activation, in steps. Products are added in 16 bits, those of two lanes
   * together: 4 · 15 · 511, or at 128 bits 8 · 15 · 255, is less than 2^15.
   */
  private static final int LIMIT = COUNT == 8 ? 511 : 255;

  /**
   * Amount that the noise of a sub-block's ints adds, for the factors among {@link SubBlockScales}.
   */
  private static final FloatVector BIAS = ofFactors(COUNT * QuantisedRow.BIAS, 0);

  /** Takes the minima out of the same vectors; at 128 bits they are by themselves. */
  static final FloatVector MINIMA = ofFactors(COUNT == 8 ? 0 : 1, 1);

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    QuantisedRow.quantise(x, columns, GROUP, LIMIT, 1, 0, prepared);
  }

  /** One number for the first four lanes, one for the others. */
  static FloatVector ofFactors(float factors, float others) {
    float[] lanes = new float[COUNT];
    Arrays.fill(lanes, others);
    Arrays.fill(lanes, 0, 4, factors);
    return FloatVector.fromArray(FLOATS, lanes, 0);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long f = own.room(columns) & ADDRESS;
    long end = x + 2L * columns;
    IntVector low = IntVector.broadcast(INTS, 0x0F0F0F0F);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      FloatVector minima = sum;
      long steps = end;
      for (long at = x; at != end; at += 2 * BLOCK, steps += 8 * SUBS, w += BLOCK_BYTES) {
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
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(MINIMA.fma(minima, sum)));
    }
  }
}
