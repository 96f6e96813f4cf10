package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.EVEN;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ODD;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.UPPER_HALF;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.ADD;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.MAX;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * One row of activations as 16-bit integers, for the products of vectors narrower than 512 bits.
 *
 * <p>16 or 32 activations, a group, share a step: their largest magnitude is {@code limit} steps.
 * Layout: the shorts, per vector of bytes those of even places, then those of odd ones, as weights
 * of a byte come out of 16-bit lanes, less what {@link #carry} takes off; then per 128 activations
 * the steps of their groups, times {@link #UNIT}, and their offsets, times the step: what the
 * rounded activations' sum adds. Of the rounded ones: then an offset has the same error as what the
 * weights have too much, and both cancel.
 */
public final class QuantisedRow {
  /** Number of activations that are rounded in one step. */
  private static final int HALF_GROUP = 16;

  private static final int BOTH = 2 * HALF_GROUP;

  /** Number of activations that have their steps together, then their offsets. */
  private static final int TOGETHER = 128;

  private static final VectorSpecies<Short> HALF =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

  /** Products come out in the upper halves of ints. */
  static final float UNIT = 0x1p-16f;

  /**
   * Taken off per factor and int of the products. The two halves of an int are added up in its
   * upper half; the bits of the lower one stay below as noise of 0 to 1, 1/2 on average. It is
   * smaller than what rounding an activation does, but it has a sign.
   */
  static final float BIAS = -0x1p15f;

  private QuantisedRow() {}

  /** Floats that {@link #quantise} writes. */
  static int floats(int columns, int group) {
    return columns / 2 + 2 * (columns / group);
  }

  /** Where the steps are. */
  static long steps(long prepared, int columns) {
    return prepared + 2L * columns;
  }

  /**
   * Rounds {@code columns} floats.
   *
   * @param columns a multiple of 128
   * @param group activations that share a step, 16 or 32
   * @param limit below 2^15; what a kernel's sums of products allow
   * @param zero taken from each weight, times a scale that the kernel has
   * @param bias beside it, for the noise of a group's ints
   */
  static void quantise(
      long x, int columns, int group, int limit, float zero, float bias, long prepared) {
    long step = steps(prepared, columns);
    long toOffsets = 4L * TOGETHER / group;
    long to = prepared;
    for (long from = x; from != x + 4L * columns; from += 4 * BOTH, to += 2 * BOTH) {
      float low = largest(from);
      float high = largest(from + 4 * HALF_GROUP);
      if (group == BOTH) {
        low = Math.max(low, high);
        high = low;
      }
      float sum = round(from, low == 0 ? 0 : limit / low, to, to + BYTES);
      // At 256 bits in the same vectors, at 128 in the next.
      long evens = to + (COUNT == 8 ? 16 : 32);
      float next = round(from + 4 * HALF_GROUP, high == 0 ? 0 : limit / high, evens, evens + BYTES);
      if (group == BOTH) {
        sum += next;
      } else {
        put(step, toOffsets, low / limit, bias - zero * sum);
        step += 4;
        sum = next;
      }
      put(step, toOffsets, high / limit, bias - zero * sum);
      step += (from - x & 4 * TOGETHER - 1) == 4 * (TOGETHER - BOTH) ? 4 + toOffsets : 4;
      for (long pair = to; pair != to + 2 * BOTH; pair += 2 * BYTES) {
        carry(pair);
      }
    }
  }

  /**
   * Makes what overflows out of the multiplication of whole ints of weights be no error. Of the
   * bytes a, b, c, d of an int the even activations meet a + 256 · b and c + 256 · d, the odd ones
   * b + 256 · c and d, after a shift of the whole int. What a byte meets too much by its 256 is
   * taken off where it is alone; modulo 2^16 all comes out right.
   *
   * @param address a vector of even activations, then one of odd ones
   */
  static void carry(long address) {
    IntVector even = loadInts(address);
    IntVector odd = loadInts(address + BYTES);
    even.sub(odd.lanewise(LSHL, 24)).intoMemorySegment(MEMORY, address, ORDER);
    odd.reinterpretAsShorts()
        .sub(even.and(0x00FF00FF).lanewise(LSHL, 8).reinterpretAsShorts())
        .intoMemorySegment(MEMORY, address + BYTES, ORDER);
  }

  private static void put(long address, long toOffsets, float step, float offset) {
    MEMORY.set(FLOAT, address, step * UNIT);
    MEMORY.set(FLOAT, address + toOffsets, step * offset);
  }

  /** Returns the largest magnitude of 16 numbers. */
  public static float largest(long x) {
    FloatVector a = loadFloats(x).lanewise(ABS);
    FloatVector b = loadFloats(x + BYTES).lanewise(ABS);
    FloatVector largest = a.max(b);
    if (COUNT == 4) {
      FloatVector c = loadFloats(x + 2 * BYTES).lanewise(ABS);
      FloatVector d = loadFloats(x + 3 * BYTES).lanewise(ABS);
      largest = largest.max(c.max(d));
    }
    return largest.reduceLanes(MAX);
  }

  /**
   * 16 numbers times {@code inverse} to shorts: eight of even places, eight of odd ones.
   *
   * @return their sum, which is exact
   */
  static float round(long x, float inverse, long evens, long odds) {
    FloatVector factor = FloatVector.broadcast(FLOATS, inverse);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    ShortVector none = ShortVector.zero(HALF);
    FloatVector a = loadFloats(x);
    FloatVector b = loadFloats(x + BYTES);
    FloatVector even = factor.fma(a.rearrange(EVEN).blend(b.rearrange(EVEN), UPPER_HALF), rounding);
    FloatVector odd = factor.fma(a.rearrange(ODD).blend(b.rearrange(ODD), UPPER_HALF), rounding);
    none.or((ShortVector) even.reinterpretAsInts().convertShape(I2S, HALF, 0))
        .intoMemorySegment(MEMORY, evens, ORDER);
    none.or((ShortVector) odd.reinterpretAsInts().convertShape(I2S, HALF, 0))
        .intoMemorySegment(MEMORY, odds, ORDER);
    FloatVector sum = even.sub(rounding).add(odd.sub(rounding));
    if (COUNT == 4) {
      a = loadFloats(x + 2 * BYTES);
      b = loadFloats(x + 3 * BYTES);
      even = factor.fma(a.rearrange(EVEN).blend(b.rearrange(EVEN), UPPER_HALF), rounding);
      odd = factor.fma(a.rearrange(ODD).blend(b.rearrange(ODD), UPPER_HALF), rounding);
      none.or((ShortVector) even.reinterpretAsInts().convertShape(I2S, HALF, 0))
          .intoMemorySegment(MEMORY, evens + 8, ORDER);
      none.or((ShortVector) odd.reinterpretAsInts().convertShape(I2S, HALF, 0))
          .intoMemorySegment(MEMORY, odds + 8, ORDER);
      sum = sum.add(even.sub(rounding).add(odd.sub(rounding)));
    }
    return sum.reduceLanes(ADD);
  }
}
