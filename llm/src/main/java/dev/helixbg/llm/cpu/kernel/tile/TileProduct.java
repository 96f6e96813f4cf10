package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.lanes.Lanes;
import jdk.incubator.vector.FloatVector;

/**
 * The inner loop of matrix × matrix: a panel of rows times a tile of tokens, which are the lanes.
 *
 * <p>Eight rows × two vectors of tokens are 16 sums: enough to hide the latency of an FMA, and a
 * weight is broadcast by the load itself. With twelve rows C1 ran out of registers and gave up, and
 * then C2 never saw the method: it stayed interpreted. A token's sum goes over k in order, whatever
 * its neighbours: its bits do not depend on the batch.
 */
public final class TileProduct {
  /** Rows of a panel. */
  public static final int ROWS = 8;

  /** Tokens of a tile: two vectors. */
  public static final int TOKENS = 2 * COUNT;

  /**
   * The deepest panel, in weights: 48 KiB of panel, and tiles of 256 tokens stay in the
   * second-level cache.
   */
  public static final int DEPTH = 1024;

  /**
   * Floats from one row of a panel to the next: not a power of two, or all rows fall into the same
   * cache sets.
   */
  public static final int STRIDE = DEPTH + 16;

  /** Bytes of a tile's columns. */
  private static final long WIDTH = 2L * BYTES;

  private TileProduct() {}

  /**
   * {@code tile[r · TOKENS + t] = Σ panel[r · STRIDE + k] · x[k][t]} over {@code 0 ≤ k < depth}.
   *
   * @param panel {@link #ROWS} rows
   * @param depth at most {@link #DEPTH}
   * @param x {@code depth} times {@link #TOKENS} floats aligned to a vector
   * @param tokens how many of the tile are wanted; up to half a tile costs half
   */
  public static void multiply(long panel, int depth, long x, int tokens, long tile) {
    if (tokens > COUNT && Lanes.WIDE) {
      twoVectors(panel, depth, x, tile);
    } else if (tokens > COUNT) {
      fourRows(panel, depth, x, tile);
      fourRows(panel + 16L * STRIDE, depth, x, tile + 4 * WIDTH);
    } else {
      oneVector(panel, depth, x, tile);
    }
  }

  /** All tokens of a tile. */
  private static void twoVectors(long rows, int depth, long x, long tile) {
    long panel = rows & ADDRESS;
    FloatVector sa0 = FloatVector.zero(FLOATS);
    FloatVector sa1 = FloatVector.zero(FLOATS);
    FloatVector sb0 = FloatVector.zero(FLOATS);
    FloatVector sb1 = FloatVector.zero(FLOATS);
    FloatVector sc0 = FloatVector.zero(FLOATS);
    FloatVector sc1 = FloatVector.zero(FLOATS);
    FloatVector sd0 = FloatVector.zero(FLOATS);
    FloatVector sd1 = FloatVector.zero(FLOATS);
    FloatVector se0 = FloatVector.zero(FLOATS);
    FloatVector se1 = FloatVector.zero(FLOATS);
    FloatVector sf0 = FloatVector.zero(FLOATS);
    FloatVector sf1 = FloatVector.zero(FLOATS);
    FloatVector sg0 = FloatVector.zero(FLOATS);
    FloatVector sg1 = FloatVector.zero(FLOATS);
    FloatVector sh0 = FloatVector.zero(FLOATS);
    FloatVector sh1 = FloatVector.zero(FLOATS);
    for (int k = 0; k < depth; k++) {
      FloatVector x0 = loadFloats(x + k * (2L * BYTES));
      FloatVector x1 = loadFloats(x + k * (2L * BYTES) + BYTES);
      FloatVector wa = broadcastFloat(panel + 4L * k);
      sa0 = wa.fma(x0, sa0);
      sa1 = wa.fma(x1, sa1);
      FloatVector wb = broadcastFloat(panel + 4L * k + 4L * STRIDE);
      sb0 = wb.fma(x0, sb0);
      sb1 = wb.fma(x1, sb1);
      FloatVector wc = broadcastFloat(panel + 4L * k + 2 * 4L * STRIDE);
      sc0 = wc.fma(x0, sc0);
      sc1 = wc.fma(x1, sc1);
      FloatVector wd = broadcastFloat(panel + 4L * k + 3 * 4L * STRIDE);
      sd0 = wd.fma(x0, sd0);
      sd1 = wd.fma(x1, sd1);
      FloatVector we = broadcastFloat(panel + 4L * k + 4 * 4L * STRIDE);
      se0 = we.fma(x0, se0);
      se1 = we.fma(x1, se1);
      FloatVector wf = broadcastFloat(panel + 4L * k + 5 * 4L * STRIDE);
      sf0 = wf.fma(x0, sf0);
      sf1 = wf.fma(x1, sf1);
      FloatVector wg = broadcastFloat(panel + 4L * k + 6 * 4L * STRIDE);
      sg0 = wg.fma(x0, sg0);
      sg1 = wg.fma(x1, sg1);
      FloatVector wh = broadcastFloat(panel + 4L * k + 7 * 4L * STRIDE);
      sh0 = wh.fma(x0, sh0);
      sh1 = wh.fma(x1, sh1);
    }
    sa0.intoMemorySegment(MEMORY, tile + 0L * BYTES, ORDER);
    sa1.intoMemorySegment(MEMORY, tile + 1L * BYTES, ORDER);
    sb0.intoMemorySegment(MEMORY, tile + 2L * BYTES, ORDER);
    sb1.intoMemorySegment(MEMORY, tile + 3L * BYTES, ORDER);
    sc0.intoMemorySegment(MEMORY, tile + 4L * BYTES, ORDER);
    sc1.intoMemorySegment(MEMORY, tile + 5L * BYTES, ORDER);
    sd0.intoMemorySegment(MEMORY, tile + 6L * BYTES, ORDER);
    sd1.intoMemorySegment(MEMORY, tile + 7L * BYTES, ORDER);
    se0.intoMemorySegment(MEMORY, tile + 8L * BYTES, ORDER);
    se1.intoMemorySegment(MEMORY, tile + 9L * BYTES, ORDER);
    sf0.intoMemorySegment(MEMORY, tile + 10L * BYTES, ORDER);
    sf1.intoMemorySegment(MEMORY, tile + 11L * BYTES, ORDER);
    sg0.intoMemorySegment(MEMORY, tile + 12L * BYTES, ORDER);
    sg1.intoMemorySegment(MEMORY, tile + 13L * BYTES, ORDER);
    sh0.intoMemorySegment(MEMORY, tile + 14L * BYTES, ORDER);
    sh1.intoMemorySegment(MEMORY, tile + 15L * BYTES, ORDER);
  }

  /**
   * Four rows and all tokens of a tile, where there are 16 registers. C2 multiplies the body of a
   * loop that counts by one, and then they do not hold it; of this one and the next it does not.
   */
  private static void fourRows(long rows, int depth, long x, long tile) {
    long panel = rows & ADDRESS;
    FloatVector sa0 = FloatVector.zero(FLOATS);
    FloatVector sa1 = FloatVector.zero(FLOATS);
    FloatVector sb0 = FloatVector.zero(FLOATS);
    FloatVector sb1 = FloatVector.zero(FLOATS);
    FloatVector sc0 = FloatVector.zero(FLOATS);
    FloatVector sc1 = FloatVector.zero(FLOATS);
    FloatVector sd0 = FloatVector.zero(FLOATS);
    FloatVector sd1 = FloatVector.zero(FLOATS);
    long end = x + depth * WIDTH;
    for (long at = x; at != end; at += WIDTH, panel += 4) {
      FloatVector x0 = loadFloats(at);
      FloatVector x1 = loadFloats(at + BYTES);
      FloatVector wa = broadcastFloat(panel);
      sa0 = wa.fma(x0, sa0);
      sa1 = wa.fma(x1, sa1);
      FloatVector wb = broadcastFloat(panel + 4L * STRIDE);
      sb0 = wb.fma(x0, sb0);
      sb1 = wb.fma(x1, sb1);
      FloatVector wc = broadcastFloat(panel + 2 * 4L * STRIDE);
      sc0 = wc.fma(x0, sc0);
      sc1 = wc.fma(x1, sc1);
      FloatVector wd = broadcastFloat(panel + 3 * 4L * STRIDE);
      sd0 = wd.fma(x0, sd0);
      sd1 = wd.fma(x1, sd1);
    }
    sa0.intoMemorySegment(MEMORY, tile + 0 * WIDTH + 0 * BYTES, ORDER);
    sa1.intoMemorySegment(MEMORY, tile + 0 * WIDTH + 1 * BYTES, ORDER);
    sb0.intoMemorySegment(MEMORY, tile + 1 * WIDTH + 0 * BYTES, ORDER);
    sb1.intoMemorySegment(MEMORY, tile + 1 * WIDTH + 1 * BYTES, ORDER);
    sc0.intoMemorySegment(MEMORY, tile + 2 * WIDTH + 0 * BYTES, ORDER);
    sc1.intoMemorySegment(MEMORY, tile + 2 * WIDTH + 1 * BYTES, ORDER);
    sd0.intoMemorySegment(MEMORY, tile + 3 * WIDTH + 0 * BYTES, ORDER);
    sd1.intoMemorySegment(MEMORY, tile + 3 * WIDTH + 1 * BYTES, ORDER);
  }

  /** The first half of a tile. */
  private static void oneVector(long rows, int depth, long x, long tile) {
    long panel = rows & ADDRESS;
    FloatVector sa0 = FloatVector.zero(FLOATS);
    FloatVector sb0 = FloatVector.zero(FLOATS);
    FloatVector sc0 = FloatVector.zero(FLOATS);
    FloatVector sd0 = FloatVector.zero(FLOATS);
    FloatVector se0 = FloatVector.zero(FLOATS);
    FloatVector sf0 = FloatVector.zero(FLOATS);
    FloatVector sg0 = FloatVector.zero(FLOATS);
    FloatVector sh0 = FloatVector.zero(FLOATS);
    long end = x + depth * WIDTH;
    for (long at = x; at != end; at += WIDTH, panel += 4) {
      FloatVector x0 = loadFloats(at);
      FloatVector wa = broadcastFloat(panel);
      sa0 = wa.fma(x0, sa0);
      FloatVector wb = broadcastFloat(panel + 4L * STRIDE);
      sb0 = wb.fma(x0, sb0);
      FloatVector wc = broadcastFloat(panel + 2 * 4L * STRIDE);
      sc0 = wc.fma(x0, sc0);
      FloatVector wd = broadcastFloat(panel + 3 * 4L * STRIDE);
      sd0 = wd.fma(x0, sd0);
      FloatVector we = broadcastFloat(panel + 4 * 4L * STRIDE);
      se0 = we.fma(x0, se0);
      FloatVector wf = broadcastFloat(panel + 5 * 4L * STRIDE);
      sf0 = wf.fma(x0, sf0);
      FloatVector wg = broadcastFloat(panel + 6 * 4L * STRIDE);
      sg0 = wg.fma(x0, sg0);
      FloatVector wh = broadcastFloat(panel + 7 * 4L * STRIDE);
      sh0 = wh.fma(x0, sh0);
    }
    sa0.intoMemorySegment(MEMORY, tile + 0L * BYTES, ORDER);
    sb0.intoMemorySegment(MEMORY, tile + 2L * BYTES, ORDER);
    sc0.intoMemorySegment(MEMORY, tile + 4L * BYTES, ORDER);
    sd0.intoMemorySegment(MEMORY, tile + 6L * BYTES, ORDER);
    se0.intoMemorySegment(MEMORY, tile + 8L * BYTES, ORDER);
    sf0.intoMemorySegment(MEMORY, tile + 10L * BYTES, ORDER);
    sg0.intoMemorySegment(MEMORY, tile + 12L * BYTES, ORDER);
    sh0.intoMemorySegment(MEMORY, tile + 14L * BYTES, ORDER);
  }
}
