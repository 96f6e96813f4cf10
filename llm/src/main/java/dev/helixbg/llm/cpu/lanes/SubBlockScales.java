package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** Unpacks the 6-bit scales and minima of Q4_K and Q5_K, for vectors of less than 512 bits. */
public final class SubBlockScales {
  private static final VectorSpecies<Integer> INTS_2 = IntVector.SPECIES_64;
  private static final IntVector LOW = IntVector.fromArray(INTS_2, new int[] {0x0F0F0F0F, 0}, 0);
  private static final IntVector HIGH = IntVector.fromArray(INTS_2, new int[] {0, 0x0F0F0F0F}, 0);

  // These vectors are constants, because and() with a number would create a vector, whose array C2
  // sometimes allocates.
  private static final IntVector SIX_BITS = IntVector.broadcast(INTS_2, 0x3F3F3F3F);
  private static final IntVector UPPER_TWO = IntVector.broadcast(INTS_2, 0x30303030);

  private SubBlockScales() {}

  /** Returns, as bytes, the first four scales, then the first four minima. */
  public static IntVector first(long block) {
    return load(block + 4).and(SIX_BITS);
  }

  /**
   * Returns, as bytes, the last four scales, then the last four minima. Their low nibbles are in
   * the third int of the block's scales, and their two upper bits in the first two ints.
   */
  public static IntVector second(long block) {
    return nibbles(block).or(load(block + 4).lanewise(LSHR, 2).and(UPPER_TWO));
  }

  private static IntVector nibbles(long block) {
    return load(block + 12).and(LOW).or(load(block + 8).lanewise(LSHR, 4).and(HIGH));
  }

  private static IntVector load(long address) {
    return IntVector.fromMemorySegment(INTS_2, MEMORY, address, ORDER);
  }

  /**
   * Multiplies bytes, one per lane, by the floats at an address.
   *
   * @param part 0 for the first {@code Lanes.COUNT} bytes, 1 for the next {@code Lanes.COUNT} bytes
   */
  public static FloatVector times(IntVector bytes, int part, long address) {
    return loadFloats(address)
        .mul((FloatVector) bytes.reinterpretAsBytes().convertShape(B2F, FLOATS, part));
  }

  /**
   * Multiplies the first {@code Lanes.COUNT} bytes, one per lane, by the floats at {@code address}.
   * Returns the products, and also writes them to {@code scratch}.
   */
  public static FloatVector factors(IntVector bytes, long address, long scratch) {
    FloatVector factors = times(bytes, 0, address);
    factors.intoMemorySegment(MEMORY, scratch, ORDER);
    return factors;
  }

  /**
   * Multiplies the minima of {@code first} and {@code second} by the offsets that are stored with
   * the rounding steps. Returns the sum of the two product vectors. This method is for vectors of
   * 128 bits.
   */
  public static FloatVector minima(IntVector first, IntVector second, long steps) {
    return times(first, 1, steps + 16).add(times(second, 1, steps + 48));
  }
}
