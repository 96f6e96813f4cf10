package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.TileProduct.TOKENS;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;

/**
 * Tiles of tokens: columns × {@link TileProduct#TOKENS} floats, the tokens side by side. Places are
 * byte offsets.
 */
public final class Tiles {
  private static final float MASKED = -1e30f;
  private static final FloatVector LANE = FloatVector.zero(FLOATS).addIndex(1);

  private Tiles() {}

  /**
   * Rows of tokens to a tile: {@code tile[k][t] = rows[t][k]} for {@code tokens} rows, {@code
   * stride} bytes apart.
   */
  public static void pack(
      MemorySegment rows,
      long rowsAt,
      long stride,
      int tokens,
      int columns,
      MemorySegment tile,
      long tileAt) {
    for (int t = 0; t < tokens; t++) {
      long from = rowsAt + t * stride;
      long to = tileAt + 4L * t;
      for (int k = 0; k < columns; k++) {
        tile.set(FLOAT, to + 4L * TOKENS * k, rows.get(FLOAT, from + 4L * k));
      }
    }
  }

  /** A tile to rows of tokens: {@code rows[t][k] = tile[k][t]}. */
  public static void unpack(
      MemorySegment tile, int columns, int tokens, MemorySegment rows, long rowsAt, long stride) {
    for (int t = 0; t < tokens; t++) {
      long to = rowsAt + t * stride;
      for (int k = 0; k < columns; k++) {
        rows.set(FLOAT, to + 4L * k, tile.get(FLOAT, 4L * (TOKENS * k + t)));
      }
    }
  }

  /** As {@link #unpack}, adding to the rows. */
  public static void unpackAndAdd(
      MemorySegment tile, int columns, int tokens, MemorySegment rows, long rowsAt, long stride) {
    for (int t = 0; t < tokens; t++) {
      long to = rowsAt + t * stride;
      for (int k = 0; k < columns; k++) {
        float sum = rows.get(FLOAT, to + 4L * k) + tile.get(FLOAT, 4L * (TOKENS * k + t));
        rows.set(FLOAT, to + 4L * k, sum);
      }
    }
  }

  /**
   * {@code panel[d · STRIDE + p] = values[p][d]}: rows of values to a panel whose rows are the
   * values' places.
   */
  public static void transposeToPanel(
      MemorySegment values,
      long valuesAt,
      int count,
      int size,
      MemorySegment panel,
      int panelFrom) {
    for (int p = 0; p < count; p++) {
      long from = valuesAt + 4L * p * size;
      long to = 4L * (panelFrom + p);
      for (int d = 0; d < size; d++) {
        panel.set(FLOAT, to + 4L * TileProduct.STRIDE * d, values.get(FLOAT, from + 4L * d));
      }
    }
  }

  /**
   * Causal softmax per token, in place, not yet divided by its sum: {@code s[p][t] = exp(scale ·
   * (s[p][t] − maxₚ))}, where token t sees the keys {@code p ≤ first + t}; the others become
   * (nearly) zero.
   *
   * @param count keys
   * @param inverse receives 1 / sum for each token
   */
  public static void softmax(
      MemorySegment scores, long at, int count, int first, float scale, MemorySegment inverse) {
    for (int half = 0; half < 2; half++) {
      long column = at + half * (long) BYTES;
      FloatVector token = LANE.add(first + half * COUNT);
      FloatVector max = FloatVector.broadcast(FLOATS, MASKED);
      for (int p = 0; p < count; p++) {
        FloatVector s =
            FloatVector.fromMemorySegment(FLOATS, scores, column + p * (2L * BYTES), ORDER);
        if (p > first) {
          s = s.blend(MASKED, token.compare(LT, p));
          s.intoMemorySegment(scores, column + p * (2L * BYTES), ORDER);
        }
        max = max.max(s);
      }
      FloatVector sum = FloatVector.zero(FLOATS);
      for (int p = 0; p < count; p++) {
        FloatVector u =
            FloatVector.fromMemorySegment(FLOATS, scores, column + p * (2L * BYTES), ORDER)
                .sub(max)
                .mul(scale)
                .max(Vectors.LOWEST_EXPONENT);
        FloatVector t = u.mul(Vectors.INVERSE_LN_2).add(Vectors.TO_INTEGER);
        FloatVector n = t.sub(Vectors.TO_INTEGER);
        FloatVector r = u.sub(n.mul(Vectors.LN_2_HIGH)).sub(n.mul(Vectors.LN_2_LOW));
        FloatVector e = r.mul(Vectors.C6).add(Vectors.C5);
        e = e.fma(r, FloatVector.broadcast(FLOATS, Vectors.C4));
        e = e.fma(r, FloatVector.broadcast(FLOATS, Vectors.C3));
        e = e.fma(r, FloatVector.broadcast(FLOATS, Vectors.C2));
        e = e.fma(r, FloatVector.broadcast(FLOATS, 1)).fma(r, FloatVector.broadcast(FLOATS, 1));
        FloatVector exp =
            e.reinterpretAsInts()
                .add(t.reinterpretAsInts().lanewise(LSHL, 23))
                .reinterpretAsFloats();
        exp.intoMemorySegment(scores, column + p * (2L * BYTES), ORDER);
        sum = sum.add(exp);
      }
      FloatVector.broadcast(FLOATS, 1)
          .div(sum)
          .intoMemorySegment(inverse, half * (long) BYTES, ORDER);
    }
  }

  /** Multiplies each column k of a tile by {@code factors}, one per token. */
  public static void scale(MemorySegment tile, int columns, MemorySegment factors) {
    FloatVector f0 = FloatVector.fromMemorySegment(FLOATS, factors, 0, ORDER);
    FloatVector f1 = FloatVector.fromMemorySegment(FLOATS, factors, BYTES, ORDER);
    for (int k = 0; k < columns; k++) {
      long at = k * (2L * BYTES);
      FloatVector.fromMemorySegment(FLOATS, tile, at, ORDER)
          .mul(f0)
          .intoMemorySegment(tile, at, ORDER);
      FloatVector.fromMemorySegment(FLOATS, tile, at + BYTES, ORDER)
          .mul(f1)
          .intoMemorySegment(tile, at + BYTES, ORDER);
    }
  }

  /** {@code sum += tile}, over {@code columns}. */
  public static void add(MemorySegment tile, int columns, MemorySegment sum, long sumAt) {
    for (int k = 0; k < 2 * columns; k++) {
      long at = k * (long) BYTES;
      FloatVector.fromMemorySegment(FLOATS, sum, sumAt + at, ORDER)
          .add(FloatVector.fromMemorySegment(FLOATS, tile, at, ORDER))
          .intoMemorySegment(sum, sumAt + at, ORDER);
    }
  }
}
