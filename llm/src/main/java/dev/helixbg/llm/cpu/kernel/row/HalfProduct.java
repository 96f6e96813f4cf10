package dev.helixbg.llm.cpu.kernel.row;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.EVEN;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ODD;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.UPPER_HALF;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Computes matrix-vector products with rows of F16 or BF16 weights, which are read in place. The
 * kernel supports vectors of any width and any number of columns. Each loaded int has two weights,
 * so {@link #prepare} separates the activations of even and odd columns.
 *
 * @param brain whether weights are bf16, not f16
 */
record HalfProduct(boolean brain) implements RowKernel {
  private static final int PAIRS = 2 * COUNT;

  private static final int ODD_HALF = 0xFFFF0000;
  private static final int MAGNITUDE = 0x0FFFE000;
  private static final int INFINITE = 0x0F800000;
  private static final int SIGN = 0x80000000;
  private static final int REBIAS = 112 << 23;

  @Override
  public boolean streams() {
    return false;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, long scratch) {
    if (brain) {
      multiplyBf16(weights, columns, prepared, y, from, to, step);
    } else {
      multiplyF16(weights, columns, prepared, y, from, to, step);
    }
  }

  /**
   * Copies the activations. In each pair of vectors, the even columns come before the odd columns.
   * The columns after the last whole pair of vectors stay in order.
   */
  @Override
  public void prepare(long x, int columns, long prepared) {
    int i = 0;
    for (; i + PAIRS <= columns; i += PAIRS) {
      FloatVector a = loadFloats(x + 4L * i);
      FloatVector b = loadFloats(x + 4L * i + BYTES);
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
   * Multiplies rows of f16.
   *
   * <p>Let n be the float that results if a weight's bits are moved to their positions in a float
   * and 112 is added to the exponent. The correct number is the smaller of n and 2n − 2^−14. Only
   * for the exponent 0 is 2n − 2^−14 the smaller one. This method avoids arithmetic on subnormal
   * numbers, which is slow on some processors. For the exponent 31 (infinite or NaN), 112 is added
   * again.
   */
  private static void multiplyF16(
      long weights, int columns, long prepared, long y, int from, int to, int step) {
    IntVector magnitude = IntVector.broadcast(INTS, MAGNITUDE);
    IntVector infinite = IntVector.broadcast(INTS, INFINITE);
    IntVector sign = IntVector.broadcast(INTS, SIGN);
    IntVector rebias = IntVector.broadcast(INTS, REBIAS);
    FloatVector two = FloatVector.broadcast(FLOATS, 2);
    FloatVector smallest = FloatVector.broadcast(FLOATS, -0x1p-14f);
    for (int row = from; row < to; row += step) {
      long w = weights + 2L * row * columns;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      int i = 0;
      for (; i + PAIRS <= columns; i += PAIRS) {
        IntVector z = loadInts(w + 2L * i);
        IntVector a = z.lanewise(LSHL, 13).and(magnitude);
        IntVector n = a.add(rebias).add(rebias, a.compare(GE, infinite));
        IntVector s = two.fma(n.reinterpretAsFloats(), smallest).reinterpretAsInts();
        FloatVector p = n.min(s).or(z.lanewise(LSHL, 16).and(sign)).reinterpretAsFloats();
        even = loadFloats(prepared + 4L * i).fma(p, even);
        IntVector b = z.lanewise(LSHR, 3).and(magnitude);
        IntVector m = b.add(rebias).add(rebias, b.compare(GE, infinite));
        IntVector t = two.fma(m.reinterpretAsFloats(), smallest).reinterpretAsInts();
        FloatVector q = m.min(t).or(z.and(sign)).reinterpretAsFloats();
        odd = loadFloats(prepared + 4L * i + BYTES).fma(q, odd);
      }
      float sum = sumOfLanes(even.add(odd));
      for (; i < columns; i++) {
        sum +=
            Float.float16ToFloat(MEMORY.get(SHORT, w + 2L * i))
                * MEMORY.get(FLOAT, prepared + 4L * i);
      }
      MEMORY.set(FLOAT, y + 4L * row, sum);
    }
  }

  private static void multiplyBf16(
      long weights, int columns, long prepared, long y, int from, int to, int step) {
    IntVector oddHalf = IntVector.broadcast(INTS, ODD_HALF);
    for (int row = from; row < to; row += step) {
      long w = weights + 2L * row * columns;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      int i = 0;
      for (; i + PAIRS <= columns; i += PAIRS) {
        IntVector z = loadInts(w + 2L * i);
        even = loadFloats(prepared + 4L * i).fma(z.lanewise(LSHL, 16).reinterpretAsFloats(), even);
        odd = loadFloats(prepared + 4L * i + BYTES).fma(z.and(oddHalf).reinterpretAsFloats(), odd);
      }
      float sum = sumOfLanes(even.add(odd));
      for (; i < columns; i++) {
        sum +=
            Float.intBitsToFloat(MEMORY.get(SHORT, w + 2L * i) << 16)
                * MEMORY.get(FLOAT, prepared + 4L * i);
      }
      MEMORY.set(FLOAT, y + 4L * row, sum);
    }
  }
}
