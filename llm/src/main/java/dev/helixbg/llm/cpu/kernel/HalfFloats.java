package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.HALVES;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import dev.helixbg.llm.cpu.lanes.Lanes;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Converts 16-bit floats to floats and back.
 *
 * <p>The Vector API has no conversion of f16. The bits of an f16 number are moved to their
 * positions in a float, and 112 is added to the exponent. For exponent 0, the hidden bit is then
 * subtracted. For exponent 31 (infinite or NaN), 112 is added again.
 */
public final class HalfFloats {
  private static final int MAGNITUDE = 0x7FFF;
  private static final int REBIAS = 112 << 23;
  private static final int SMALLEST_NORMAL = 0x0400;
  private static final int INFINITE = 0x7C00;
  private static final int NOT_A_NUMBER = 0x7E00;

  // Bits of the floats 2^−14, 1/2 and infinity.
  private static final int LEAST_NORMAL = 113 << 23;
  private static final int BITS_OF_HALF = 126 << 23;
  private static final int FLOAT_INFINITE = 255 << 23;

  private HalfFloats() {}

  static void unpackBf16(long source, int count, long target) {
    long vectors = 2L * (count & -Lanes.COUNT);
    long i = 0;
    for (; i != vectors; i += 2 * Lanes.COUNT) {
      ((IntVector)
              ShortVector.fromMemorySegment(HALVES, MEMORY, source + i, ORDER)
                  .convertShape(ZERO_EXTEND_S2I, INTS, 0))
          .lanewise(LSHL, 16)
          .intoMemorySegment(MEMORY, target + 2 * i, ORDER);
    }
    for (; i != 2L * count; i += 2) {
      MEMORY.set(FLOAT, target + 2 * i, Float.intBitsToFloat(MEMORY.get(SHORT, source + i) << 16));
    }
  }

  public static void unpackF16(long source, int count, long target) {
    long vectors = 2L * (count & -Lanes.COUNT);
    long i = 0;
    for (; i != vectors; i += 2 * Lanes.COUNT) {
      IntVector half =
          (IntVector)
              ShortVector.fromMemorySegment(HALVES, MEMORY, source + i, ORDER)
                  .convertShape(ZERO_EXTEND_S2I, INTS, 0);
      IntVector magnitude = half.and(MAGNITUDE);
      IntVector sign = half.and(0x8000).lanewise(LSHL, 16);
      IntVector bits = magnitude.lanewise(LSHL, 13).add(REBIAS);
      VectorMask<Integer> small = magnitude.compare(VectorOperators.LT, SMALLEST_NORMAL);
      VectorMask<Integer> infinite = magnitude.compare(VectorOperators.GE, INFINITE);
      IntVector mended = bits.add(1 << 23).reinterpretAsFloats().sub(0x1p-14f).reinterpretAsInts();
      bits.blend(mended, small)
          .blend(bits.add(REBIAS), infinite)
          .or(sign)
          .intoMemorySegment(MEMORY, target + 2 * i, ORDER);
    }
    for (; i != 2L * count; i += 2) {
      MEMORY.set(FLOAT, target + 2 * i, Float.float16ToFloat(MEMORY.get(SHORT, source + i)));
    }
  }

  /** Converts floats to the nearest f16 numbers. */
  public static void packF16(long source, int count, long target) {
    ShortVector none = ShortVector.zero(HALVES);
    long vectors = 2L * (count & -Lanes.COUNT);
    long i = 0;
    for (; i != vectors; i += 2 * Lanes.COUNT) {
      IntVector bits = loadInts(source + 2 * i);
      IntVector sign = bits.lanewise(LSHR, 16).and(0x8000);
      IntVector magnitude = bits.and(Integer.MAX_VALUE);
      // Half of the last kept bit's value is added to round the number. If that bit is 0, 1 less is
      // added, so that ties round to even.
      IntVector odd = magnitude.lanewise(LSHR, 13).and(1);
      IntVector normal = magnitude.add(odd).add(0x0FFF - REBIAS).lanewise(LSHR, 13).min(INFINITE);
      // Adding 1/2 rounds a number to a multiple of 2^−24, the spacing of subnormal f16 numbers.
      IntVector subnormal =
          magnitude.reinterpretAsFloats().add(0.5f).reinterpretAsInts().sub(BITS_OF_HALF);
      none.or(
              (ShortVector)
                  normal
                      .blend(subnormal, magnitude.compare(VectorOperators.LT, LEAST_NORMAL))
                      .blend(NOT_A_NUMBER, magnitude.compare(VectorOperators.GT, FLOAT_INFINITE))
                      .or(sign)
                      .convertShape(I2S, HALVES, 0))
          .intoMemorySegment(MEMORY, target + i, ORDER);
    }
    long from = source & ADDRESS;
    long to = target & ADDRESS;
    for (; i != 2L * count; i += 2) {
      MEMORY.set(SHORT, to + i, Float.floatToFloat16(MEMORY.get(FLOAT, from + 2 * i)));
    }
  }
}
