package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;

import jdk.incubator.vector.FloatVector;

/**
 * Attention of one query over cached keys and values as floats, position after position. Places are
 * byte offsets.
 */
public final class RowAttention {
  private RowAttention() {}

  /** {@code scores[p] = q · k[p]} for {@code count} keys of {@code size} floats. */
  public static void scores(long q, long keys, int count, int size, long scores) {
    for (int p = 0; p < count; p++) {
      float dot = FloatProduct.dot(keys + 4L * p * size, q, size);
      MEMORY.set(FLOAT, scores + 4L * p, dot);
    }
  }

  /** {@code y += Σ weights[p] · v[p]} for {@code count} values of {@code size} floats. */
  public static void addWeighted(long weights, long values, int count, int size, long y) {
    int i = 0;
    for (; i + 4 * COUNT <= size; i += 4 * COUNT) {
      long at = y + 4L * i;
      FloatVector a = FloatVector.fromMemorySegment(FLOATS, MEMORY, at, ORDER);
      FloatVector b = FloatVector.fromMemorySegment(FLOATS, MEMORY, at + BYTES, ORDER);
      FloatVector c = FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 2 * BYTES, ORDER);
      FloatVector d = FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 3 * BYTES, ORDER);
      for (int p = 0; p < count; p++) {
        FloatVector w = FloatVector.broadcast(FLOATS, MEMORY.get(FLOAT, weights + 4L * p));
        long v = values + 4L * (p * size + i);
        a = w.fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, v, ORDER), a);
        b = w.fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, v + BYTES, ORDER), b);
        c = w.fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, v + 2 * BYTES, ORDER), c);
        d = w.fma(FloatVector.fromMemorySegment(FLOATS, MEMORY, v + 3 * BYTES, ORDER), d);
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
