package dev.helixbg.llm.cpu.kernel.attention;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static jdk.incubator.vector.VectorOperators.LSHL;

import dev.helixbg.llm.cpu.kernel.VectorOps;
import jdk.incubator.vector.FloatVector;

/**
 * Turns scores of attention into weights, in place, without dividing the weights by their sum.
 *
 * <p>Only whole vectors of scores are computed. Computing the scores after the last whole vector
 * one by one would cost as much as all vectors of a short row. The last vector is filled up with
 * scores of −∞, whose weight of 2^−125 is too small to matter.
 */
public final class Softmax {
  private static final double LOG2_E = 1.4426950408889634;

  /** Lower bound of u in a weight 2^u. It prevents subnormal weights. */
  private static final float LOWEST = -125;

  // Polynomial for 2^r with |r| ≤ 1/2, interpolated at Chebyshev nodes. It is exactly 1 at r = 0;
  // elsewhere its error is below 2 ulp.
  private static final float C1 = 0.69314719f;
  private static final float C2 = 0.24022108f;
  private static final float C3 = 0.055503571f;
  private static final float C4 = 0.0096760319f;
  private static final float C5 = 0.0013390863f;

  private Softmax() {}

  private static int padded(int count) {
    return (count + COUNT - 1) / COUNT * COUNT;
  }

  /** Fills up the last vector with −∞, and returns the largest of {@code count} scores. */
  public static float max(long scores, int count) {
    for (int i = count; i < padded(count); i++) {
      MEMORY.set(FLOAT, scores + 4L * i, Float.NEGATIVE_INFINITY);
    }
    return VectorOps.max(scores, padded(count));
  }

  /**
   * Computes {@code s = exp(scale · (s − max))} for {@code count} scores and returns the sum of the
   * results. Also sets the scores with indices {@code count ≤ i < end} to 0. {@link #max} must be
   * called first, because it fills up the last vector.
   */
  public static float exponentials(long scores, int count, float max, float scale, int end) {
    float binary = (float) (scale * LOG2_E);
    FloatVector sums = FloatVector.zero(FLOATS);
    FloatVector toInteger = FloatVector.broadcast(FLOATS, TO_INTEGER);
    FloatVector c5 = FloatVector.broadcast(FLOATS, C5);
    long vectors = 4L * padded(count);
    for (long i = 0; i != vectors; i += BYTES) {
      FloatVector u = loadFloats(scores + i).sub(max).mul(binary).max(LOWEST);
      FloatVector t = toInteger.add(u);
      FloatVector r = u.sub(t.sub(toInteger));
      FloatVector p = c5.fma(r, FloatVector.broadcast(FLOATS, C4));
      p = p.fma(r, FloatVector.broadcast(FLOATS, C3)).fma(r, FloatVector.broadcast(FLOATS, C2));
      p = p.fma(r, FloatVector.broadcast(FLOATS, C1)).fma(r, FloatVector.broadcast(FLOATS, 1));
      FloatVector exp =
          p.reinterpretAsInts().add(t.reinterpretAsInts().lanewise(LSHL, 23)).reinterpretAsFloats();
      exp.intoMemorySegment(MEMORY, scores + i, ORDER);
      sums = exp.add(sums);
    }
    for (int i = count; i < end; i++) {
      MEMORY.set(FLOAT, scores + 4L * i, 0);
    }
    return sumOfLanes(sums);
  }
}
