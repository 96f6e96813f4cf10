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

/** Common part of the products of 16-bit integers: decision 81. */
public final class ShortProducts {
  private ShortProducts() {}

  /**
   * A vector of weights that are bytes, times the activations at an address as {@code QuantisedRow}
   * has them: per int the sum of four products is that of its two shorts, which is below 2^15
   * though they overflow.
   */
  public static ShortVector ofBytes(IntVector weights, long address) {
    return times(weights, address).add(times(weights.lanewise(LSHR, 8), address + BYTES));
  }

  /** Weights, as 16-bit lanes, times activations. */
  public static ShortVector times(IntVector weights, long address) {
    return weights.reinterpretAsShorts().mul(loadShorts(address));
  }

  /** Returns the products of the low nibbles of 32 bytes. */
  public static ShortVector ofLow(long bytes, IntVector nibbles, long address) {
    ShortVector sums = low(bytes, nibbles, address);
    return COUNT == 8 ? sums : low(bytes + 16, nibbles, address + 32).add(sums);
  }

  /** Returns the products of the high nibbles. */
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
   * Two lanes of products are added in the upper half of an int, converted with the noise that is
   * left in the lower one, and added to a sum by a factor.
   */
  public static FloatVector add(ShortVector products, FloatVector factors, FloatVector sum) {
    IntVector ints = products.reinterpretAsInts();
    return factors.fma((FloatVector) ints.add(ints.lanewise(LSHL, 16)).convert(I2F, 0), sum);
  }

  /**
   * The factors of two groups of 16 weights for their ints, which at 256 bits are a vector, at 128
   * that of the first group for a vector.
   *
   * @param eight of which {@code pair} takes two, at 256 bits: with the stores that they come from
   * @param place of the first, in bytes
   */
  public static FloatVector factors(long eight, int place, VectorShuffle<Float> pair) {
    return COUNT == 8 ? loadFloats(eight).rearrange(pair) : broadcastFloat(eight + place);
  }
}
