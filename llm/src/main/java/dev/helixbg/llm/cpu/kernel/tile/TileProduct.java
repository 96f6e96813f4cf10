package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import jdk.incubator.vector.FloatVector;

/**
 * Inner loop of matrix products: multiplies a panel (some matrix rows) with a tile (the activations
 * of some tokens). Each lane of a vector belongs to one token.
 *
 * <p>Six rows and two vectors of tokens make twelve sums, which hide the latency of an FMA and fit
 * 16 registers. A load broadcasts each weight. Each token's products are added in the order of the
 * columns, so other tokens never affect the sum.
 */
public final class TileProduct {
  public static final int ROWS = 6;
  private static final int HALF_ROWS = 8;

  /**
   * Memory for panels and sums has a multiple of this number of rows. The number is a multiple of 6
   * and of 8, because 6 or 8 rows are multiplied together.
   */
  public static final int ROOM = 24;

  /** Number of tokens in a tile. They fill two vectors. */
  public static final int TOKENS = 2 * COUNT;

  public static final int DEPTH = 1024;

  /**
   * Distance between the rows of a panel, in floats. It is not a power of two, so that rows use
   * different sets of the processor's cache.
   */
  public static final int STRIDE = DEPTH + 16;

  private static final long ROW = 4L * STRIDE;

  private static final long WIDTH = 2L * BYTES;

  private TileProduct() {}

  /**
   * Computes {@code sums[r · TOKENS + t] = Σ panel[r · STRIDE + k] · x[k][t]} over {@code 0 ≤ k <
   * depth}. If {@code first} is false, adds to the sums ({@code +=}) instead.
   *
   * @param rows number of rows of the panel; the method can also read and write later rows, up to
   *     the next multiple of {@link #ROOM}
   * @param depth number of weights per row, at most {@link #DEPTH}
   * @param x tile of {@code depth} times {@link #TOKENS} floats, aligned to a vector
   * @param tokens number of tokens whose sums are needed; if they fit half a tile, the product
   *     costs half as much
   */
  public static void multiply(
      long panel, int rows, int depth, long x, int tokens, boolean first, long sums) {
    boolean half = tokens <= COUNT;
    int step = half ? HALF_ROWS : ROWS;
    for (int row = 0; row < rows; row += step) {
      long w = panel + ROW * row;
      long to = sums + WIDTH * row;
      long before = first ? TokenTiles.ZEROS : to;
      if (half) {
        oneVector(w, depth, x, before, to);
      } else {
        sixRows(w, depth, x, before, to);
      }
    }
  }

  /**
   * Multiplies six rows with all tokens of a tile. The loop counts bytes, because C2 would unroll a
   * loop that counts by one. The unrolled loop would need more than 16 registers.
   */
  private static void sixRows(long panel, int depth, long x, long before, long sums) {
    long w = panel & ADDRESS;
    FloatVector a0 = loadFloats(before);
    FloatVector a1 = loadFloats(before + BYTES);
    FloatVector b0 = loadFloats(before + WIDTH);
    FloatVector b1 = loadFloats(before + WIDTH + BYTES);
    FloatVector c0 = loadFloats(before + 2 * WIDTH);
    FloatVector c1 = loadFloats(before + 2 * WIDTH + BYTES);
    FloatVector d0 = loadFloats(before + 3 * WIDTH);
    FloatVector d1 = loadFloats(before + 3 * WIDTH + BYTES);
    FloatVector e0 = loadFloats(before + 4 * WIDTH);
    FloatVector e1 = loadFloats(before + 4 * WIDTH + BYTES);
    FloatVector f0 = loadFloats(before + 5 * WIDTH);
    FloatVector f1 = loadFloats(before + 5 * WIDTH + BYTES);
    long end = x + depth * WIDTH;
    for (long at = x; at != end; at += WIDTH, w += 4) {
      FloatVector x0 = loadFloats(at);
      FloatVector x1 = loadFloats(at + BYTES);
      FloatVector wa = broadcastFloat(w);
      a0 = wa.fma(x0, a0);
      a1 = wa.fma(x1, a1);
      FloatVector wb = broadcastFloat(w + ROW);
      b0 = wb.fma(x0, b0);
      b1 = wb.fma(x1, b1);
      FloatVector wc = broadcastFloat(w + 2 * ROW);
      c0 = wc.fma(x0, c0);
      c1 = wc.fma(x1, c1);
      FloatVector wd = broadcastFloat(w + 3 * ROW);
      d0 = wd.fma(x0, d0);
      d1 = wd.fma(x1, d1);
      FloatVector we = broadcastFloat(w + 4 * ROW);
      e0 = we.fma(x0, e0);
      e1 = we.fma(x1, e1);
      FloatVector wf = broadcastFloat(w + 5 * ROW);
      f0 = wf.fma(x0, f0);
      f1 = wf.fma(x1, f1);
    }
    a0.intoMemorySegment(MEMORY, sums, ORDER);
    a1.intoMemorySegment(MEMORY, sums + BYTES, ORDER);
    b0.intoMemorySegment(MEMORY, sums + WIDTH, ORDER);
    b1.intoMemorySegment(MEMORY, sums + WIDTH + BYTES, ORDER);
    c0.intoMemorySegment(MEMORY, sums + 2 * WIDTH, ORDER);
    c1.intoMemorySegment(MEMORY, sums + 2 * WIDTH + BYTES, ORDER);
    d0.intoMemorySegment(MEMORY, sums + 3 * WIDTH, ORDER);
    d1.intoMemorySegment(MEMORY, sums + 3 * WIDTH + BYTES, ORDER);
    e0.intoMemorySegment(MEMORY, sums + 4 * WIDTH, ORDER);
    e1.intoMemorySegment(MEMORY, sums + 4 * WIDTH + BYTES, ORDER);
    f0.intoMemorySegment(MEMORY, sums + 5 * WIDTH, ORDER);
    f1.intoMemorySegment(MEMORY, sums + 5 * WIDTH + BYTES, ORDER);
  }

  private static void oneVector(long panel, int depth, long x, long before, long sums) {
    long w = panel & ADDRESS;
    FloatVector a0 = loadFloats(before);
    FloatVector b0 = loadFloats(before + WIDTH);
    FloatVector c0 = loadFloats(before + 2 * WIDTH);
    FloatVector d0 = loadFloats(before + 3 * WIDTH);
    FloatVector e0 = loadFloats(before + 4 * WIDTH);
    FloatVector f0 = loadFloats(before + 5 * WIDTH);
    FloatVector g0 = loadFloats(before + 6 * WIDTH);
    FloatVector h0 = loadFloats(before + 7 * WIDTH);
    long end = x + depth * WIDTH;
    for (long at = x; at != end; at += WIDTH, w += 4) {
      FloatVector x0 = loadFloats(at);
      FloatVector wa = broadcastFloat(w);
      a0 = wa.fma(x0, a0);
      FloatVector wb = broadcastFloat(w + ROW);
      b0 = wb.fma(x0, b0);
      FloatVector wc = broadcastFloat(w + 2 * ROW);
      c0 = wc.fma(x0, c0);
      FloatVector wd = broadcastFloat(w + 3 * ROW);
      d0 = wd.fma(x0, d0);
      FloatVector we = broadcastFloat(w + 4 * ROW);
      e0 = we.fma(x0, e0);
      FloatVector wf = broadcastFloat(w + 5 * ROW);
      f0 = wf.fma(x0, f0);
      FloatVector wg = broadcastFloat(w + 6 * ROW);
      g0 = wg.fma(x0, g0);
      FloatVector wh = broadcastFloat(w + 7 * ROW);
      h0 = wh.fma(x0, h0);
    }
    a0.intoMemorySegment(MEMORY, sums, ORDER);
    b0.intoMemorySegment(MEMORY, sums + WIDTH, ORDER);
    c0.intoMemorySegment(MEMORY, sums + 2 * WIDTH, ORDER);
    d0.intoMemorySegment(MEMORY, sums + 3 * WIDTH, ORDER);
    e0.intoMemorySegment(MEMORY, sums + 4 * WIDTH, ORDER);
    f0.intoMemorySegment(MEMORY, sums + 5 * WIDTH, ORDER);
    g0.intoMemorySegment(MEMORY, sums + 6 * WIDTH, ORDER);
    h0.intoMemorySegment(MEMORY, sums + 7 * WIDTH, ORDER);
  }
}
