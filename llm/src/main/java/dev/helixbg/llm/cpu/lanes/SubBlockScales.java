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

/** The 6-bit scales and minima of a block of Q4_K or Q5_K in vectors, for rows below 512 bits. */
public final class SubBlockScales {
  private static final VectorSpecies<Integer> INTS_2 = IntVector.SPECIES_64;
  private static final IntVector LOW = IntVector.fromArray(INTS_2, new int[] {0x0F0F0F0F, 0}, 0);
  private static final IntVector HIGH = IntVector.fromArray(INTS_2, new int[] {0, 0x0F0F0F0F}, 0);

  // Given a number, and() makes a vector of it, and C2 allocates its array where C1 ran before.
  private static final IntVector SIX_BITS = IntVector.broadcast(INTS_2, 0x3F3F3F3F);
  private static final IntVector UPPER_TWO = IntVector.broadcast(INTS_2, 0x30303030);

  private SubBlockScales() {}

  /** Returns, as bytes, the first four scales, then the first four minima. */
  public static IntVector first(long block) {
    return load(block + 4).and(SIX_BITS);
  }

  /** The other four of both: low nibbles and high nibbles of an int, with the bits left above. */
  public static IntVector second(long block) {
    return nibbles(block).or(load(block + 4).lanewise(LSHR, 2).and(UPPER_TWO));
  }

  private static IntVector nibbles(long block) {
    return load(block + 12).and(LOW).or(load(block + 8).lanewise(LSHR, 4).and(HIGH));
  }

  private static IntVector load(long address) {
    return IntVector.fromMemorySegment(INTS_2, MEMORY, address, ORDER);
  }

  /** A vector of bytes, the first or the second, times the floats at an address. */
  public static FloatVector times(IntVector bytes, int part, long address) {
    return loadFloats(address)
        .mul((FloatVector) bytes.reinterpretAsBytes().convertShape(B2F, FLOATS, part));
  }

  /** The first vector of bytes times the floats at an address, also to scratch memory. */
  public static FloatVector factors(IntVector bytes, long address, long scratch) {
    FloatVector factors = times(bytes, 0, address);
    factors.intoMemorySegment(MEMORY, scratch, ORDER);
    return factors;
  }

  /** Returns, at 128 bits, the minima of both times what an offset of one adds. */
  public static FloatVector minima(IntVector first, IntVector second, long steps) {
    return times(first, 1, steps + 16).add(times(second, 1, steps + 48));
  }
}
