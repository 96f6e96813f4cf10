package dev.helixbg.llm.cpu.kernel.attention;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.kernel.VectorOps;
import jdk.incubator.vector.FloatVector;

/**
 * Attention of one query over cached keys and values as floats, position after position. Places are
 * byte offsets.
 */
public final class FloatAttention {
  private FloatAttention() {}

  /** {@code scores[p] = q · k[p]} for {@code count} keys of {@code size} floats. */
  public static void scores(long q, long keys, int count, int size, long scores) {
    for (int p = 0; p < count; p++) {
      float dot = VectorOps.dot(keys + 4L * p * size, q, size);
      MEMORY.set(FLOAT, scores + 4L * p, dot);
    }
  }

  /** {@code y += Σ weights[p] · v[p]} for {@code count} values of {@code size} floats. */
  public static void addWeighted(long weights, long values, int count, int size, long y) {
    int i = 0;
    for (; i + 4 * COUNT <= size; i += 4 * COUNT) {
      long at = y + 4L * i;
      FloatVector a = loadFloats(at);
      FloatVector b = loadFloats(at + BYTES);
      FloatVector c = loadFloats(at + 2 * BYTES);
      FloatVector d = loadFloats(at + 3 * BYTES);
      for (int p = 0; p < count; p++) {
        FloatVector w = broadcastFloat(weights + 4L * p);
        long v = values + 4L * (p * size + i);
        a = w.fma(loadFloats(v), a);
        b = w.fma(loadFloats(v + BYTES), b);
        c = w.fma(loadFloats(v + 2 * BYTES), c);
        d = w.fma(loadFloats(v + 3 * BYTES), d);
      }
      a.intoMemorySegment(MEMORY, at, ORDER);
      b.intoMemorySegment(MEMORY, at + BYTES, ORDER);
      c.intoMemorySegment(MEMORY, at + 2 * BYTES, ORDER);
      d.intoMemorySegment(MEMORY, at + 3 * BYTES, ORDER);
    }
    for (; i < size; i++) {
      float sum = MEMORY.get(FLOAT, y + 4L * i);
      for (int p = 0; p < count; p++) {
        sum +=
            MEMORY.get(FLOAT, weights + 4L * p) * MEMORY.get(FLOAT, values + 4L * (p * size + i));
      }
      MEMORY.set(FLOAT, y + 4L * i, sum);
    }
  }
}
