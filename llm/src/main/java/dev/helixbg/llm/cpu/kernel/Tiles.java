package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.TileProduct.TOKENS;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;

/**
 * Tiles of tokens: columns × {@link TileProduct#TOKENS} floats, the tokens side by side. Places are
 * byte offsets.
 */
public final class Tiles {
  private static final float MASKED = -1e30f;
  private static final FloatVector LANE = FloatVector.zero(FLOATS).addIndex(1);

  /** Bytes of scratch memory that {@link #unpack} and {@link #unpackAndAdd} want. */
  public static final long SCRATCH = EightColumns.SCRATCH;

  private Tiles() {}

  /**
   * Rows of tokens to a tile: {@code tile[k][t] = rows[t][k]} for {@code tokens} rows, {@code
   * stride} bytes apart.
   */
  public static void pack(long rows, long stride, int tokens, int columns, long tile) {
    for (int t = 0; t < tokens; t++) {
      long from = rows + t * stride & ADDRESS;
      long to = tile + 4L * t & ADDRESS;
      for (int k = 0; k < columns; k++) {
        MEMORY.set(FLOAT, to + 4L * TOKENS * k, MEMORY.get(FLOAT, from + 4L * k));
      }
    }
  }

  /**
   * A tile to rows of tokens: {@code rows[t][k] = tile[k][t]}.
   *
   * @param width tokens from one column of the tile to the next
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void unpack(
      long tile, int width, int columns, int tokens, long rows, long stride, long scratch) {
    if (Lanes.WIDE && columns == TileProduct.ROWS) {
      EightColumns.write(tile, 4L * width, tokens, rows, stride, scratch);
      return;
    }
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      for (int k = 0; k < columns; k++) {
        MEMORY.set(FLOAT, to + 4L * k, MEMORY.get(FLOAT, tile + 4L * (width * k + t)));
      }
    }
  }

  /** As {@link #unpack}, adding to the rows. */
  public static void unpackAndAdd(
      long tile, int width, int columns, int tokens, long rows, long stride, long scratch) {
    if (Lanes.WIDE && columns == TileProduct.ROWS) {
      EightColumns.add(tile, 4L * width, tokens, rows, stride, scratch);
      return;
    }
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      for (int k = 0; k < columns; k++) {
        float sum = MEMORY.get(FLOAT, to + 4L * k) + MEMORY.get(FLOAT, tile + 4L * (width * k + t));
        MEMORY.set(FLOAT, to + 4L * k, sum);
      }
    }
  }

  /**
   * {@code panel[d · STRIDE + p] = values[p][d]}: rows of values to a panel whose rows are the
   * values' places.
   */
  public static void transposeToPanel(long values, int count, int size, long panel) {
    for (int p = 0; p < count; p++) {
      long from = values + 4L * p * size & ADDRESS;
      long to = panel + 4L * p & ADDRESS;
      for (int d = 0; d < size; d++) {
        MEMORY.set(FLOAT, to + 4L * TileProduct.STRIDE * d, MEMORY.get(FLOAT, from + 4L * d));
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
  public static void softmax(long scores, int count, int first, float scale, long inverse) {
    for (int half = 0; half < 2; half++) {
      long column = scores + half * (long) BYTES;
      FloatVector token = LANE.add(first + half * COUNT);
      FloatVector max = FloatVector.broadcast(FLOATS, MASKED);
      for (int p = 0; p < count; p++) {
        FloatVector s =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, column + p * (2L * BYTES), ORDER);
        if (p > first) {
          s = s.blend(MASKED, token.compare(LT, p));
          s.intoMemorySegment(MEMORY, column + p * (2L * BYTES), ORDER);
        }
        max = s.max(max);
      }
      FloatVector sum = FloatVector.zero(FLOATS);
      for (int p = 0; p < count; p++) {
        FloatVector u =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, column + p * (2L * BYTES), ORDER)
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
        exp.intoMemorySegment(MEMORY, column + p * (2L * BYTES), ORDER);
        sum = exp.add(sum);
      }
      FloatVector.broadcast(FLOATS, 1)
          .div(sum)
          .intoMemorySegment(MEMORY, inverse + half * (long) BYTES, ORDER);
    }
  }

  /** Multiplies each column k of a tile by {@code factors}, one per token. */
  public static void scale(long tile, int columns, long factors) {
    FloatVector f0 = FloatVector.fromMemorySegment(FLOATS, MEMORY, factors, ORDER);
    FloatVector f1 = FloatVector.fromMemorySegment(FLOATS, MEMORY, factors + BYTES, ORDER);
    for (int k = 0; k < columns; k++) {
      long at = k * (2L * BYTES);
      FloatVector.fromMemorySegment(FLOATS, MEMORY, tile + at, ORDER)
          .mul(f0)
          .intoMemorySegment(MEMORY, tile + at, ORDER);
      FloatVector.fromMemorySegment(FLOATS, MEMORY, tile + at + BYTES, ORDER)
          .mul(f1)
          .intoMemorySegment(MEMORY, tile + at + BYTES, ORDER);
    }
  }

  /** {@code sum += tile}, over {@code columns}. */
  public static void add(long tile, int columns, long sum) {
    for (int k = 0; k < 2 * columns; k++) {
      long at = k * (long) BYTES;
      FloatVector.fromMemorySegment(FLOATS, MEMORY, sum + at, ORDER)
          .add(FloatVector.fromMemorySegment(FLOATS, MEMORY, tile + at, ORDER))
          .intoMemorySegment(MEMORY, sum + at, ORDER);
    }
  }
}
