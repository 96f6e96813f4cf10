package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShuffle;

/** Operations for the kernels that compute products in 16-bit integers (decision 81). */
public final class ShortProducts {
  private ShortProducts() {}

  /**
   * Returns the products of byte weights with activations. The activations have the layout of
   * {@code QuantisedRow}. The two shorts of an int add up to the sum of four products. That sum is
   * below 2^15, although each of the two shorts can overflow.
   */
  public static ShortVector ofBytes(IntVector weights, long address) {
    return times(weights, address).add(times(weights.lanewise(LSHR, 8), address + BYTES));
  }

  public static ShortVector times(IntVector weights, long address) {
    return weights.reinterpretAsShorts().mul(loadShorts(address));
  }

  /** Returns products of activations with weights, which are the low nibbles of 32 bytes. */
  public static ShortVector ofLow(long bytes, IntVector nibbles, long address) {
    ShortVector sums = low(bytes, nibbles, address);
    return COUNT == 8 ? sums : low(bytes + 16, nibbles, address + 32).add(sums);
  }

  /** Returns products of activations with weights, which are the high nibbles of 32 bytes. */
  public static ShortVector ofHigh(long bytes, IntVector nibbles, long address) {
    ShortVector sums = high(bytes, nibbles, address);
    return COUNT == 8 ? sums : high(bytes + 16, nibbles, address + 32).add(sums);
  }

  private static ShortVector low(long bytes, IntVector nibbles, long address) {
    return ofBytes(loadInts(bytes).and(nibbles), address);
  }

  private static ShortVector high(long bytes, IntVector nibbles, long address) {
    return ofBytes(loadInts(bytes).lanewise(LSHR, 4).and(nibbles), address);
  }

  /**
   * Adds the two shorts of each int. The upper half of the int gets the result; the lower half
   * keeps bits without meaning. Then converts the ints to floats, multiplies the floats by the
   * factors, and adds the results to {@code sum}.
   */
  public static FloatVector add(ShortVector products, FloatVector factors, FloatVector sum) {
    IntVector ints = products.reinterpretAsInts();
    return factors.fma((FloatVector) ints.add(ints.lanewise(LSHL, 16)).convert(I2F, 0), sum);
  }

  /**
   * Returns the factors by which sums of products are multiplied. Vectors of 256 bits get the
   * factors of two groups of 16 weights; vectors of 128 bits get the factor of the first group.
   *
   * @param eight address of eight factors; for 256 bits, {@code pair} selects two of them
   * @param place offset of the first group's factor, in bytes
   */
  public static FloatVector factors(long eight, int place, VectorShuffle<Float> pair) {
    return COUNT == 8 ? loadFloats(eight).rearrange(pair) : broadcastFloat(eight + place);
  }
}
