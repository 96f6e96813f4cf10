package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.lanes.LaneSums;
import jdk.incubator.vector.FloatVector;

/** Products of vectors of floats. */
public final class FloatProduct {
  private FloatProduct() {}

  /**
   * {@code Σ a[i] · b[i]} over {@code count} floats from the byte offsets on; four sums at a time
   * hide the latency of an FMA.
   */
  public static float dot(long a, long b, int count) {
    FloatVector s0 = FloatVector.zero(FLOATS);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    long fours = 4L * (count & -4 * COUNT);
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != fours; i += 4 * BYTES) {
      s0 = loadFloats(a + i).fma(loadFloats(b + i), s0);
      s1 = loadFloats(a + i + BYTES).fma(loadFloats(b + i + BYTES), s1);
      s2 = loadFloats(a + i + 2 * BYTES).fma(loadFloats(b + i + 2 * BYTES), s2);
      s3 = loadFloats(a + i + 3 * BYTES).fma(loadFloats(b + i + 3 * BYTES), s3);
    }
    for (; i != vectors; i += BYTES) {
      s0 = loadFloats(a + i).fma(loadFloats(b + i), s0);
    }
    // In the order of LaneSums.
    float sum = LaneSums.sum(s0.add(s1).add(s2.add(s3)));
    for (; i != 4L * count; i += 4) {
      sum += MEMORY.get(FLOAT, a + i) * MEMORY.get(FLOAT, b + i);
    }
    return sum;
  }
}
