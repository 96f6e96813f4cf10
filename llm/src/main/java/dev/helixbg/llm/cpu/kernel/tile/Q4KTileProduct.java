package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.tile.Q4KPanel.OFFSETS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.COLUMN_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.SCALES;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.SUB;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.SUBS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.SUMS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.TOKENS;
import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastFloat;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastPair;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;

import dev.helixbg.llm.cpu.lanes.WideningLoads;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × matrix for Q4_K: a {@link Q4KPanel} times {@link QuantisedTiles}, in 16-bit integers,
 * below 512 bits.
 *
 * <p>|weight| ≤ 8 and |activation| ≤ 127: 32 products sum up to at most 32,512, which a short holds
 * exactly; then they are widened, once per sub-block. So a token's sum does not depend on its
 * neighbours.
 */
public final class Q4KTileProduct {
  private static final int ROWS_WIDENED = 4;

  /** Rows of a panel. */
  public static final int ROWS = Q4KPanel.ROWS;

  private static final long STRIDE = Q4KPanel.STRIDE;

  /** Bytes of the products of one sub-block and one row, shorts, and of a row's sums, floats. */
  private static final long ROW_PRODUCTS = 2L * TOKENS;

  private static final long ROW_SUMS = 4L * TOKENS;

  private static final long SUB_BYTES = ROW_PRODUCTS * ROWS;

  /** Bytes of scratch memory that {@link #multiply} wants. */
  public static final long SCRATCH = SUBS * SUB_BYTES;

  private Q4KTileProduct() {}

  /**
   * {@code sums[r][t] = Σ W[r][k] · x[k][t]} over the 256 columns of a panel and a tile, or {@code
   * +=}.
   *
   * @param sums {@link #ROWS} × {@link QuantisedTiles#TOKENS} floats
   * @param tokens how many of the tile are wanted; up to half of them cost half
   * @param first whether the sums begin here
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void multiply(
      long panel, long tile, int tokens, boolean first, long sums, long scratch) {
    int vectors = tokens > QuantisedTiles.HALF ? 2 : 1;
    for (int sub = 0; sub < SUBS; sub++) {
      long weights = panel + Q4KPanel.place(sub);
      long columns = tile + COLUMN_BYTES * (long) SUB * sub;
      long to = scratch + SUB_BYTES * sub;
      // Of 16 registers two vectors of sums would take all.
      oneVector(weights, columns, to);
      if (vectors == 2) {
        oneVector(weights, columns + BYTES, to + BYTES);
      }
    }
    for (int row = 0; row < ROWS; row += ROWS_WIDENED) {
      for (int vector = 0; vector < vectors; vector++) {
        long to = sums + ROW_SUMS * row + 2L * BYTES * vector;
        widen(
            scratch + ROW_PRODUCTS * row + (long) BYTES * vector,
            panel + Q4KPanel.SCALES + 4L * SUBS * row,
            tile + 2L * BYTES * vector,
            first ? TokenTiles.ZEROS : to,
            to);
      }
    }
  }

  /**
   * {@code sums = before +} the products of four rows and a vector of tokens, times the scales of
   * both, and the offsets times the activations. The four share the loads of what belongs to the
   * tokens.
   */
  private static void widen(long products, long factors, long tile, long before, long sums) {
    long scales = factors & ADDRESS;
    FloatVector a0 = loadFloats(before);
    FloatVector a1 = loadFloats(before + BYTES);
    FloatVector b0 = loadFloats(before + ROW_SUMS);
    FloatVector b1 = loadFloats(before + ROW_SUMS + BYTES);
    FloatVector c0 = loadFloats(before + 2 * ROW_SUMS);
    FloatVector c1 = loadFloats(before + 2 * ROW_SUMS + BYTES);
    FloatVector d0 = loadFloats(before + 3 * ROW_SUMS);
    FloatVector d1 = loadFloats(before + 3 * ROW_SUMS + BYTES);
    for (int sub = 0; sub < SUBS; sub++) {
      long shorts = products + SUB_BYTES * sub;
      long at = tile + 4L * TOKENS * sub;
      long scale = scales + 4L * sub;
      FloatVector sum0 = loadFloats(at + SUMS);
      FloatVector sum1 = loadFloats(at + SUMS + BYTES);
      FloatVector x0 = loadFloats(at + SCALES);
      FloatVector x1 = loadFloats(at + SCALES + BYTES);
      FloatVector offsetA = broadcastFloat(scale + OFFSETS);
      a0 = offsetA.fma(sum0, a0);
      a1 = offsetA.fma(sum1, a1);
      FloatVector scaleA = broadcastFloat(scale);
      a0 = scaleA.fma(x0.mul(WideningLoads.shorts(shorts)), a0);
      a1 = scaleA.fma(x1.mul(WideningLoads.shorts(shorts + BYTES / 2)), a1);
      FloatVector offsetB = broadcastFloat(scale + OFFSETS + 32);
      b0 = offsetB.fma(sum0, b0);
      b1 = offsetB.fma(sum1, b1);
      FloatVector scaleB = broadcastFloat(scale + 32);
      b0 = scaleB.fma(x0.mul(WideningLoads.shorts(shorts + ROW_PRODUCTS)), b0);
      b1 = scaleB.fma(x1.mul(WideningLoads.shorts(shorts + ROW_PRODUCTS + BYTES / 2)), b1);
      FloatVector offsetC = broadcastFloat(scale + OFFSETS + 64);
      c0 = offsetC.fma(sum0, c0);
      c1 = offsetC.fma(sum1, c1);
      FloatVector scaleC = broadcastFloat(scale + 64);
      c0 = scaleC.fma(x0.mul(WideningLoads.shorts(shorts + 2 * ROW_PRODUCTS)), c0);
      c1 = scaleC.fma(x1.mul(WideningLoads.shorts(shorts + 2 * ROW_PRODUCTS + BYTES / 2)), c1);
      FloatVector offsetD = broadcastFloat(scale + OFFSETS + 96);
      d0 = offsetD.fma(sum0, d0);
      d1 = offsetD.fma(sum1, d1);
      FloatVector scaleD = broadcastFloat(scale + 96);
      d0 = scaleD.fma(x0.mul(WideningLoads.shorts(shorts + 3 * ROW_PRODUCTS)), d0);
      d1 = scaleD.fma(x1.mul(WideningLoads.shorts(shorts + 3 * ROW_PRODUCTS + BYTES / 2)), d1);
    }
    a0.intoMemorySegment(MEMORY, sums, ORDER);
    a1.intoMemorySegment(MEMORY, sums + BYTES, ORDER);
    b0.intoMemorySegment(MEMORY, sums + ROW_SUMS, ORDER);
    b1.intoMemorySegment(MEMORY, sums + ROW_SUMS + BYTES, ORDER);
    c0.intoMemorySegment(MEMORY, sums + 2 * ROW_SUMS, ORDER);
    c1.intoMemorySegment(MEMORY, sums + 2 * ROW_SUMS + BYTES, ORDER);
    d0.intoMemorySegment(MEMORY, sums + 3 * ROW_SUMS, ORDER);
    d1.intoMemorySegment(MEMORY, sums + 3 * ROW_SUMS + BYTES, ORDER);
  }

  /**
   * A sub-block times half a tile, two columns at a time. Its loop counts in longs until it meets
   * its end, so C2 neither unrolls it nor cuts it into three for the sake of checks.
   */
  private static void oneVector(long panel, long columns, long target) {
    ShortVector a0 = ShortVector.zero(SHORTS);
    ShortVector b0 = ShortVector.zero(SHORTS);
    ShortVector c0 = ShortVector.zero(SHORTS);
    ShortVector d0 = ShortVector.zero(SHORTS);
    ShortVector e0 = ShortVector.zero(SHORTS);
    ShortVector f0 = ShortVector.zero(SHORTS);
    ShortVector g0 = ShortVector.zero(SHORTS);
    ShortVector h0 = ShortVector.zero(SHORTS);
    for (long k = 0; k != SUB; k += 2) {
      long weights = panel + 4 * k & ADDRESS;
      ShortVector x0 = loadShorts(columns + COLUMN_BYTES * k);
      ShortVector x1 = loadShorts(columns + COLUMN_BYTES * k + COLUMN_BYTES);
      a0 = x0.mul(broadcastPair(weights)).add(a0).add(x1.mul(broadcastPair(weights + 4)));
      b0 =
          x0.mul(broadcastPair(weights + 1 * STRIDE))
              .add(b0)
              .add(x1.mul(broadcastPair(weights + 1 * STRIDE + 4)));
      c0 =
          x0.mul(broadcastPair(weights + 2 * STRIDE))
              .add(c0)
              .add(x1.mul(broadcastPair(weights + 2 * STRIDE + 4)));
      d0 =
          x0.mul(broadcastPair(weights + 3 * STRIDE))
              .add(d0)
              .add(x1.mul(broadcastPair(weights + 3 * STRIDE + 4)));
      e0 =
          x0.mul(broadcastPair(weights + 4 * STRIDE))
              .add(e0)
              .add(x1.mul(broadcastPair(weights + 4 * STRIDE + 4)));
      f0 =
          x0.mul(broadcastPair(weights + 5 * STRIDE))
              .add(f0)
              .add(x1.mul(broadcastPair(weights + 5 * STRIDE + 4)));
      g0 =
          x0.mul(broadcastPair(weights + 6 * STRIDE))
              .add(g0)
              .add(x1.mul(broadcastPair(weights + 6 * STRIDE + 4)));
      h0 =
          x0.mul(broadcastPair(weights + 7 * STRIDE))
              .add(h0)
              .add(x1.mul(broadcastPair(weights + 7 * STRIDE + 4)));
    }
    a0.intoMemorySegment(MEMORY, target, ORDER);
    b0.intoMemorySegment(MEMORY, target + ROW_PRODUCTS, ORDER);
    c0.intoMemorySegment(MEMORY, target + 2 * ROW_PRODUCTS, ORDER);
    d0.intoMemorySegment(MEMORY, target + 3 * ROW_PRODUCTS, ORDER);
    e0.intoMemorySegment(MEMORY, target + 4 * ROW_PRODUCTS, ORDER);
    f0.intoMemorySegment(MEMORY, target + 5 * ROW_PRODUCTS, ORDER);
    g0.intoMemorySegment(MEMORY, target + 6 * ROW_PRODUCTS, ORDER);
    h0.intoMemorySegment(MEMORY, target + 7 * ROW_PRODUCTS, ORDER);
  }
}
