package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.kernel.VectorOps.largestOf16;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.EVEN;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.HALVES;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ODD;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.UPPER_HALF;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static jdk.incubator.vector.VectorOperators.ADD;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Rounds one row of activations to 16-bit integers, for kernels with vectors of less than 512 bits.
 *
 * <p>A group of 16 or 32 activations shares a rounding step, which is the group's largest magnitude
 * divided by {@code limit}. In memory, the shorts come first, corrected by {@link #carry}. For each
 * vector of weight bytes, the shorts of even columns come before the shorts of odd columns. Then,
 * for each 128 activations, come the groups' steps times {@link #UNIT}, and the groups' offsets
 * times the steps.
 *
 * <p>Stored weights are larger than the true weights. For each group, an offset subtracts this
 * excess from the sum of the group's products. The offset is computed from the rounded activations,
 * so its rounding error cancels the error of the products.
 */
public final class QuantisedRow {
  private static final int HALF_GROUP = 16;

  private static final int BOTH = 2 * HALF_GROUP;

  /** Number of activations whose steps are stored together, followed by their offsets. */
  private static final int TOGETHER = 128;

  /**
   * Factor by which rounding steps are multiplied before they are stored. It divides by 2^16,
   * because sums of products are in the upper halves of ints.
   */
  static final float UNIT = 0x1p-16f;

  /**
   * Correction of an int that holds a sum of products. The sum is in the int's upper half, so 1 is
   * stored as 2^16. Since the kernel does not clear the lower half, the sum is too large by 0 to 1,
   * on average by 1/2. Each error is smaller than an activation's rounding error, but the errors
   * add up.
   */
  static final float BIAS = -0x1p15f;

  private QuantisedRow() {}

  static int floats(int columns, int group) {
    return columns / 2 + 2 * (columns / group);
  }

  /**
   * Rounds a row of activations and writes it in the layout that the class comment describes.
   *
   * @param columns number of floats, a multiple of 128
   * @param group number of activations that share a rounding step, 16 or 32
   * @param limit largest magnitude of a rounded activation; so small that the kernel's sums of
   *     products are below 2^15
   * @param zero factor by which the scale (Q6_K) or the minimum (Q4_K, Q5_K) is multiplied; each
   *     stored weight is larger than the true weight by this product
   * @param bias correction of the ints that hold a group's products; see {@link #BIAS}
   */
  static void quantise(
      long x, int columns, int group, int limit, float zero, float bias, long prepared) {
    long step = prepared + 2L * columns;
    long toOffsets = 4L * TOGETHER / group;
    long to = prepared;
    for (long from = x; from != x + 4L * columns; from += 4 * BOTH, to += 2 * BOTH) {
      float low = largestOf16(from);
      float high = largestOf16(from + 4 * HALF_GROUP);
      if (group == BOTH) {
        low = Math.max(low, high);
        high = low;
      }
      float sum = round(from, low == 0 ? 0 : limit / low, to, to + BYTES);
      // At 256 bits, the last 16 activations fill the same vectors; at 128 bits, separate vectors.
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
   * Corrects activations for products with 16-bit lanes. Each lane has the bytes of two weights.
   * Let a, b, c, d be the bytes of an int of weights. Even activations are multiplied with a + 256
   * · b and c + 256 · d. After a shift of the int, odd activations are multiplied with b + 256 · c
   * and d. Each upper byte is thus also multiplied with 256 times its neighbour's activation. The
   * method subtracts this excess from the byte's own activation, so sums are correct modulo 2^16.
   *
   * @param address address of a vector of even activations, followed by a vector of odd activations
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

  /**
   * Rounds 16 numbers to shorts, and separates even from odd columns; returns the shorts' exact
   * sum.
   */
  static float round(long x, float inverse, long evens, long odds) {
    FloatVector factor = FloatVector.broadcast(FLOATS, inverse);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    ShortVector none = ShortVector.zero(HALVES);
    FloatVector a = loadFloats(x);
    FloatVector b = loadFloats(x + BYTES);
    FloatVector even = factor.fma(a.rearrange(EVEN).blend(b.rearrange(EVEN), UPPER_HALF), rounding);
    FloatVector odd = factor.fma(a.rearrange(ODD).blend(b.rearrange(ODD), UPPER_HALF), rounding);
    none.or((ShortVector) even.reinterpretAsInts().convertShape(I2S, HALVES, 0))
        .intoMemorySegment(MEMORY, evens, ORDER);
    none.or((ShortVector) odd.reinterpretAsInts().convertShape(I2S, HALVES, 0))
        .intoMemorySegment(MEMORY, odds, ORDER);
    FloatVector sum = even.sub(rounding).add(odd.sub(rounding));
    if (COUNT == 4) {
      a = loadFloats(x + 2 * BYTES);
      b = loadFloats(x + 3 * BYTES);
      even = factor.fma(a.rearrange(EVEN).blend(b.rearrange(EVEN), UPPER_HALF), rounding);
      odd = factor.fma(a.rearrange(ODD).blend(b.rearrange(ODD), UPPER_HALF), rounding);
      none.or((ShortVector) even.reinterpretAsInts().convertShape(I2S, HALVES, 0))
          .intoMemorySegment(MEMORY, evens + 8, ORDER);
      none.or((ShortVector) odd.reinterpretAsInts().convertShape(I2S, HALVES, 0))
          .intoMemorySegment(MEMORY, odds + 8, ORDER);
      sum = sum.add(even.sub(rounding).add(odd.sub(rounding)));
    }
    return sum.reduceLanes(ADD);
  }
}
