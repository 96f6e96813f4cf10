package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for F16 and BF16 rows in place, vectors of any width, any number of columns. An
 * int holds two weights, so {@link #prepare} parts the activations into those of even and of odd
 * columns.
 */
final class HalfProduct {
  /** Weights of one vector of ints. */
  private static final int PAIRS = 2 * COUNT;

  private static final VectorShuffle<Float> EVEN =
      VectorShuffle.fromOp(FLOATS, lane -> 2 * lane % COUNT);
  private static final VectorShuffle<Float> ODD =
      VectorShuffle.fromOp(FLOATS, lane -> (2 * lane + 1) % COUNT);
  private static final VectorMask<Float> UPPER_HALF =
      VectorMask.fromLong(FLOATS, -1L << COUNT / 2 & (1L << COUNT) - 1);

  private static final int ODD_HALF = 0xFFFF0000;
  private static final int MAGNITUDE = 0x0FFFE000;
  private static final int INFINITE = 0x0F800000;
  private static final int SIGN = 0x80000000;
  private static final int REBIAS = 112 << 23;

  private HalfProduct() {}

  /** Per vector of pairs the even numbers, then the odd ones; those that fill none stay. */
  static void prepare(long x, int columns, long prepared) {
    int i = 0;
    for (; i + PAIRS <= columns; i += PAIRS) {
      FloatVector a = FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 4L * i, ORDER);
      FloatVector b = FloatVector.fromMemorySegment(FLOATS, MEMORY, x + 4L * i + BYTES, ORDER);
      a.rearrange(EVEN)
          .blend(b.rearrange(EVEN), UPPER_HALF)
          .intoMemorySegment(MEMORY, prepared + 4L * i, ORDER);
      a.rearrange(ODD)
          .blend(b.rearrange(ODD), UPPER_HALF)
          .intoMemorySegment(MEMORY, prepared + 4L * i + BYTES, ORDER);
    }
    for (; i < columns; i++) {
      MEMORY.set(FLOAT, prepared + 4L * i, MEMORY.get(FLOAT, x + 4L * i));
    }
  }

  /**
   * {@code y[r] = W[r] · x} for rows {@code from ≤ r < to} of f16.
   *
   * <p>With its bits at a float's places and 112 added to the exponent, a number is right if its
   * own exponent was neither 0 nor 31; call that n. A number with exponent 0 is 2n − 2^−14, which
   * is exact and less than n; of any other, that is no less than n. So the smaller one is right,
   * found without arithmetic on subnormal numbers, which some processors are slow at.
   */
  static void multiplyF16(long weights, int columns, long prepared, long y, int from, int to) {
    IntVector magnitude = IntVector.broadcast(INTS, MAGNITUDE);
    IntVector infinite = IntVector.broadcast(INTS, INFINITE);
    IntVector sign = IntVector.broadcast(INTS, SIGN);
    IntVector rebias = IntVector.broadcast(INTS, REBIAS);
    FloatVector two = FloatVector.broadcast(FLOATS, 2);
    FloatVector smallest = FloatVector.broadcast(FLOATS, -0x1p-14f);
    for (int row = from; row < to; row++) {
      long w = weights + 2L * row * columns;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      int i = 0;
      for (; i + PAIRS <= columns; i += PAIRS) {
        IntVector z = IntVector.fromMemorySegment(INTS, MEMORY, w + 2L * i, ORDER);
        IntVector a = z.lanewise(LSHL, 13).and(magnitude);
        IntVector n = a.add(rebias).add(rebias, a.compare(GE, infinite));
        IntVector s = two.fma(n.reinterpretAsFloats(), smallest).reinterpretAsInts();
        FloatVector p = n.min(s).or(z.lanewise(LSHL, 16).and(sign)).reinterpretAsFloats();
        even = FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + 4L * i, ORDER).fma(p, even);
        IntVector b = z.lanewise(LSHR, 3).and(magnitude);
        IntVector m = b.add(rebias).add(rebias, b.compare(GE, infinite));
        IntVector t = two.fma(m.reinterpretAsFloats(), smallest).reinterpretAsInts();
        FloatVector q = m.min(t).or(z.and(sign)).reinterpretAsFloats();
        odd =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + 4L * i + BYTES, ORDER)
                .fma(q, odd);
      }
      FloatVector lanes = even.add(odd);
      if (COUNT >= 16) {
        lanes = lanes.add(lanes.rearrange(LaneSums.BY_8));
      }
      if (COUNT >= 8) {
        lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
      }
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
      float sum = lanes.lane(0) + lanes.lane(1);
      for (; i < columns; i++) {
        sum +=
            Float.float16ToFloat(MEMORY.get(SHORT, w + 2L * i))
                * MEMORY.get(FLOAT, prepared + 4L * i);
      }
      MEMORY.set(FLOAT, y + 4L * row, sum);
    }
  }

  /** As {@link #multiplyF16}, for bf16, which is the upper half of a float. */
  static void multiplyBf16(long weights, int columns, long prepared, long y, int from, int to) {
    IntVector oddHalf = IntVector.broadcast(INTS, ODD_HALF);
    for (int row = from; row < to; row++) {
      long w = weights + 2L * row * columns;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      int i = 0;
      for (; i + PAIRS <= columns; i += PAIRS) {
        IntVector z = IntVector.fromMemorySegment(INTS, MEMORY, w + 2L * i, ORDER);
        even =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + 4L * i, ORDER)
                .fma(z.lanewise(LSHL, 16).reinterpretAsFloats(), even);
        odd =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, prepared + 4L * i + BYTES, ORDER)
                .fma(z.and(oddHalf).reinterpretAsFloats(), odd);
      }
      FloatVector lanes = even.add(odd);
      if (COUNT >= 16) {
        lanes = lanes.add(lanes.rearrange(LaneSums.BY_8));
      }
      if (COUNT >= 8) {
        lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
      }
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
      float sum = lanes.lane(0) + lanes.lane(1);
      for (; i < columns; i++) {
        sum +=
            Float.intBitsToFloat(MEMORY.get(SHORT, w + 2L * i) << 16)
                * MEMORY.get(FLOAT, prepared + 4L * i);
      }
      MEMORY.set(FLOAT, y + 4L * row, sum);
    }
  }
}
