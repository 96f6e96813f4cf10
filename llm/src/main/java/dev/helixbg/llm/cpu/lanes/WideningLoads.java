package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.S2I;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loads stored numbers as vectors of floats. Kernels pass the results only as arguments and call no
 * method on them.
 */
public final class WideningLoads {
  private static final VectorSpecies<Short> HALVES =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

  /** Mask that keeps a widened short's bits but removes the copies of its sign. */
  private static final int NUMBER = 0x8FFFE000;

  private WideningLoads() {}

  /** Loads signed bytes as a vector of floats, of up to 256 bits. */
  public static FloatVector signedBytes(long address) {
    return (FloatVector)
        ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, address, ORDER)
            .convertShape(B2F, FLOATS, 0);
  }

  /** Loads one f16 number per lane, multiplied by 2^−112; correct for finite numbers only. */
  public static FloatVector halves(long address) {
    return ((IntVector)
            ShortVector.fromMemorySegment(HALVES, MEMORY, address, ORDER)
                .convertShape(S2I, INTS, 0))
        .lanewise(LSHL, 13)
        .and(NUMBER)
        .reinterpretAsFloats();
  }
}
