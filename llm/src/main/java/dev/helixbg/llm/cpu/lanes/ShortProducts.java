package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/** What products of 16-bit integers have in common: decision 81. */
public final class ShortProducts {
  private ShortProducts() {}

  /**
   * Two weights per 16-bit lane, times two vectors of activations, by a factor, added to a sum.
   *
   * @param weights one in the lower byte of each lane, one in the upper
   * @param low a mask of the lower byte's bits
   * @param at address of the activations for the lower bytes, then of those for the upper
   */
  public static FloatVector addBytes(
      ShortVector weights, ShortVector low, long at, FloatVector factors, FloatVector sum) {
    return add(
        weights
            .and(low)
            .mul(loadShorts(at))
            .add(weights.lanewise(LSHR, 8).mul(loadShorts(at + BYTES))),
        factors,
        sum);
  }

  /**
   * Two lanes of products are added in the upper half of an int, converted with the noise that is
   * left in the lower one, and added to a sum by a factor.
   */
  public static FloatVector add(ShortVector products, FloatVector factors, FloatVector sum) {
    IntVector ints = products.reinterpretAsInts();
    return factors.fma((FloatVector) ints.add(ints.lanewise(LSHL, 16)).convert(I2F, 0), sum);
  }
}
