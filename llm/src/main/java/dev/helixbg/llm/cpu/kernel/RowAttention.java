package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;

/**
 * Attention of one query over cached keys and values as floats, position after position. Places are
 * byte offsets.
 */
public final class RowAttention {
  private RowAttention() {}

  /** {@code scores[p] = scale · q·k[p]} for {@code count} keys of {@code size} floats. */
  public static void scores(
      MemorySegment q,
      long qAt,
      MemorySegment keys,
      long keysAt,
      int count,
      int size,
      float scale,
      MemorySegment scores,
      long scoresAt) {
    for (int p = 0; p < count; p++) {
      float dot = FloatProduct.dot(keys, keysAt + 4L * p * size, q, qAt, size);
      scores.set(FLOAT, scoresAt + 4L * p, dot * scale);
    }
  }

  /** {@code y += Σ weights[p] · v[p]} for {@code count} values of {@code size} floats. */
  public static void addWeighted(
      MemorySegment weights,
      long weightsAt,
      MemorySegment values,
      long valuesAt,
      int count,
      int size,
      MemorySegment y,
      long yAt) {
    int i = 0;
    for (; i + 4 * COUNT <= size; i += 4 * COUNT) {
      long at = yAt + 4L * i;
      FloatVector a = FloatVector.fromMemorySegment(FLOATS, y, at, ORDER);
      FloatVector b = FloatVector.fromMemorySegment(FLOATS, y, at + BYTES, ORDER);
      FloatVector c = FloatVector.fromMemorySegment(FLOATS, y, at + 2 * BYTES, ORDER);
      FloatVector d = FloatVector.fromMemorySegment(FLOATS, y, at + 3 * BYTES, ORDER);
      for (int p = 0; p < count; p++) {
        FloatVector w = FloatVector.broadcast(FLOATS, weights.get(FLOAT, weightsAt + 4L * p));
        long v = valuesAt + 4L * (p * size + i);
        a = w.fma(FloatVector.fromMemorySegment(FLOATS, values, v, ORDER), a);
        b = w.fma(FloatVector.fromMemorySegment(FLOATS, values, v + BYTES, ORDER), b);
        c = w.fma(FloatVector.fromMemorySegment(FLOATS, values, v + 2 * BYTES, ORDER), c);
        d = w.fma(FloatVector.fromMemorySegment(FLOATS, values, v + 3 * BYTES, ORDER), d);
      }
      a.intoMemorySegment(y, at, ORDER);
      b.intoMemorySegment(y, at + BYTES, ORDER);
      c.intoMemorySegment(y, at + 2 * BYTES, ORDER);
      d.intoMemorySegment(y, at + 3 * BYTES, ORDER);
    }
    for (; i < size; i++) {
      float sum = y.get(FLOAT, yAt + 4L * i);
      for (int p = 0; p < count; p++) {
        sum +=
            weights.get(FLOAT, weightsAt + 4L * p)
                * values.get(FLOAT, valuesAt + 4L * (p * size + i));
      }
      y.set(FLOAT, yAt + 4L * i, sum);
    }
  }
}
