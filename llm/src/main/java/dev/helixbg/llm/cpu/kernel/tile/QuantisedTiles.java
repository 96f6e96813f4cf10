package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static jdk.incubator.vector.VectorOperators.LSHL;

import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.narrow.QuantisedRow;
import dev.helixbg.llm.cpu.kernel.wide.DeinterleavedOrder;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import jdk.incubator.vector.FloatVector;

/**
 * Activations as eight-bit numbers, in tiles of four vectors of tokens and 256 columns: the inputs
 * of {@link Q4KTileProduct}, below 512 bits.
 *
 * <p>A token's 32 columns share a scale, a 127th of the largest magnitude, so a number is off by at
 * most a 254th of it. Layout of a tile:
 *
 * <ul>
 *   <li>256 × {@link #TOKENS} shorts: per column the tokens in order. The 32 columns of a sub-block
 *       stand as {@link DeinterleavedOrder} has them: 4·l + k at place 8·k + l;
 *   <li>8 × {@link #TOKENS} floats: the scale of each sub-block and token;
 *   <li>8 × {@link #TOKENS} floats: the sum of each sub-block and token, before rounding.
 * </ul>
 */
public final class QuantisedTiles {
  /** Tokens of a tile. */
  public static final int TOKENS = 4 * COUNT;

  /** Up to so many tokens cost half a tile. */
  static final int HALF = TOKENS / 2;

  /** Columns of a tile: a block of Q4_K. */
  public static final int COLUMNS = 256;

  static final int SUBS = 8;
  static final int SUB = COLUMNS / SUBS;

  /** Bytes of one column. */
  static final int COLUMN_BYTES = 2 * TOKENS;

  static final long SCALES = COLUMNS * (long) COLUMN_BYTES;
  static final long SUMS = SCALES + 4L * SUBS * TOKENS;

  /** Bytes of a tile. */
  public static final long TILE_BYTES = SUMS + 4L * SUBS * TOKENS;

  /** Ints of scratch memory that {@link #pack} wants. */
  public static final int SCRATCH = COUNT * COLUMNS;

  private static final float LARGEST = 127;

  private QuantisedTiles() {}

  /**
   * Packs 256 columns of up to {@link #TOKENS} tokens.
   *
   * @param rows the first of the columns of the first token
   * @param stride bytes from one token to the next
   * @param tokens how many there are; the others of the tile become zero
   * @param scratch {@link #SCRATCH} ints
   */
  public static void pack(long rows, long stride, int tokens, long tile, long scratch) {
    for (int vector = 0; vector < 2; vector++) {
      for (int lane = 0; lane < COUNT; lane++) {
        int token = 2 * COUNT * vector + 2 * lane;
        long pairs = scratch + 4L * COLUMNS * lane;
        long row = rows + token * stride;
        if (token + 1 < tokens) {
          quantise(row, row + stride, pairs, tile, token);
        } else if (token < tokens) {
          // The last of an odd number stands in for the one that is not there.
          quantise(row, row, pairs, tile, token);
          clear(tile, token + 1);
        } else {
          VectorOps.clear(pairs, COLUMNS);
          clear(tile, token);
          clear(tile, token + 1);
        }
      }
      for (int lane = 0; lane < COUNT; lane++) {
        spread(scratch + 4L * COLUMNS * lane, tile + (long) BYTES * vector + 4L * lane);
      }
    }
  }

  /** Two tokens' columns, as shorts in the halves of ints, and their scales and sums. */
  private static void quantise(long low, long high, long pairs, long tile, int token) {
    for (int sub = 0; sub < SUBS; sub++) {
      long column = 4L * SUB * sub;
      long at = tile + 4L * (TOKENS * sub + token);
      float a = scaleAndSum(low + column, at);
      float b = scaleAndSum(high + column, at + 4);
      float inverseA = a == 0 ? 0 : LARGEST / a;
      float inverseB = b == 0 ? 0 : LARGEST / b;
      for (long i = column; i != column + 4L * SUB; i += BYTES) {
        FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
        FloatVector.broadcast(FLOATS, inverseB)
            .fma(loadFloats(high + i), rounding)
            .reinterpretAsInts()
            .lanewise(LSHL, 16)
            .or(
                FloatVector.broadcast(FLOATS, inverseA)
                    .fma(loadFloats(low + i), rounding)
                    .reinterpretAsInts()
                    .and(0xFFFF))
            .intoMemorySegment(MEMORY, pairs + i, ORDER);
      }
    }
  }

  /** Of 32 columns of a token; returns their largest magnitude. */
  private static float scaleAndSum(long x, long target) {
    float largest = Math.max(QuantisedRow.largest(x), QuantisedRow.largest(x + 64));
    MEMORY.set(FLOAT, target + SCALES, largest / LARGEST);
    MEMORY.set(FLOAT, target + SUMS, sum(x) + sum(x + 64));
    return largest;
  }

  /** Of 16 numbers. */
  private static float sum(long x) {
    FloatVector sum = loadFloats(x).add(loadFloats(x + BYTES));
    if (COUNT == 4) {
      sum = loadFloats(x + 2 * BYTES).add(loadFloats(x + 3 * BYTES)).add(sum);
    }
    return LaneSums.sum(sum);
  }

  private static void clear(long tile, int token) {
    for (int sub = 0; sub < SUBS; sub++) {
      long at = tile + 4L * (TOKENS * sub + token);
      MEMORY.set(FLOAT, at + SCALES, 0);
      MEMORY.set(FLOAT, at + SUMS, 0);
    }
  }

  /** A lane's row of ints to its places in one vector per column. */
  private static void spread(long row, long lane) {
    for (int sub = 0; sub < SUBS; sub++) {
      long from = row + 4L * SUB * sub & ADDRESS;
      long to = lane + COLUMN_BYTES * (long) SUB * sub & ADDRESS;
      for (int l = 0; l < 8; l++) {
        long source = from + 16L * l;
        long target = to + COLUMN_BYTES * (long) l;
        MEMORY.set(INT, target, MEMORY.get(INT, source));
        MEMORY.set(INT, target + 8 * COLUMN_BYTES, MEMORY.get(INT, source + 4));
        MEMORY.set(INT, target + 16 * COLUMN_BYTES, MEMORY.get(INT, source + 8));
        MEMORY.set(INT, target + 24 * COLUMN_BYTES, MEMORY.get(INT, source + 12));
      }
    }
  }
}
