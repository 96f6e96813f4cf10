package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_S2I;

import dev.helixbg.llm.cpu.lanes.Lanes;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sixteen-bit floats to floats and back.
 *
 * <p>The Vector API has no conversion of f16. Bits moved to a float's places make a number 2^−112
 * times the right one; adding 112 to the exponent mends that, except where the exponent was 0 (then
 * a hidden one must be taken away) or 31 (infinite or not a number).
 */
public final class HalfFloats {
  /** As many shorts as a vector has floats; on 128-bit machines the 64-bit shape holds four. */
  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

  private static final int MAGNITUDE = 0x7FFF;
  private static final int REBIAS = 112 << 23;
  private static final int SMALLEST_NORMAL = 0x0400;
  private static final int INFINITE = 0x7C00;

  private HalfFloats() {}

  /** bf16 is the upper half of a float. */
  static void unpackBf16(long source, int count, long target) {
    long vectors = 2L * (count & -Lanes.COUNT);
    long i = 0;
    for (; i != vectors; i += 2 * Lanes.COUNT) {
      ((IntVector)
              ShortVector.fromMemorySegment(SHORTS, MEMORY, source + i, ORDER)
                  .convertShape(ZERO_EXTEND_S2I, INTS, 0))
          .lanewise(LSHL, 16)
          .intoMemorySegment(MEMORY, target + 2 * i, ORDER);
    }
    for (; i != 2L * count; i += 2) {
      MEMORY.set(FLOAT, target + 2 * i, Float.intBitsToFloat(MEMORY.get(SHORT, source + i) << 16));
    }
  }

  /** {@code count} f16 numbers from byte {@code offset} on, as floats. */
  public static void unpackF16(long source, int count, long target) {
    long vectors = 2L * (count & -Lanes.COUNT);
    long i = 0;
    for (; i != vectors; i += 2 * Lanes.COUNT) {
      IntVector half =
          (IntVector)
              ShortVector.fromMemorySegment(SHORTS, MEMORY, source + i, ORDER)
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

  /** {@code count} floats from byte {@code offset} on, as f16, rounded to the nearest. */
  public static void packF16(long source, int count, long target) {
    long from = source & ADDRESS;
    long to = target & ADDRESS;
    for (int i = 0; i < count; i++) {
      MEMORY.set(SHORT, to + 2L * i, Float.floatToFloat16(MEMORY.get(FLOAT, from + 4L * i)));
    }
  }
}
