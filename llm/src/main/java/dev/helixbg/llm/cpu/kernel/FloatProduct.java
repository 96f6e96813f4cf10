package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;

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
      s0 =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, a + i, ORDER)
              .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, b + i, ORDER), s0);
      s1 =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, a + i + BYTES, ORDER)
              .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, b + i + BYTES, ORDER), s1);
      s2 =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, a + i + 2 * BYTES, ORDER)
              .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, b + i + 2 * BYTES, ORDER), s2);
      s3 =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, a + i + 3 * BYTES, ORDER)
              .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, b + i + 3 * BYTES, ORDER), s3);
    }
    for (; i != vectors; i += BYTES) {
      s0 =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, a + i, ORDER)
              .fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, b + i, ORDER), s0);
    }
    // In the order of LaneSums.
    FloatVector lanes = s0.add(s1).add(s2.add(s3));
    if (COUNT >= 16) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_8));
    }
    if (COUNT >= 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    float sum = lanes.lane(0) + lanes.lane(1);
    for (; i != 4L * count; i += 4) {
      sum += MEMORY.get(FLOAT, a + i) * MEMORY.get(FLOAT, b + i);
    }
    return sum;
  }
}
