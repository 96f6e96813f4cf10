package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Activations as signed bytes, in tiles of two vectors of tokens and 256 columns.
 *
 * <p>A token's 32 columns share a step, a 127th of the largest magnitude, so a number is off by at
 * most half a step. Layout of a tile: {@link #SUBS} sub-blocks of 32 columns, of each
 *
 * <ul>
 *   <li>{@link #GROUPS} lines of {@link #TOKENS} ints: of each token four columns;
 *   <li>a line of floats: the steps;
 *   <li>a line of floats: the sums of the rounded numbers;
 *   <li>two lines of ints: of the first 16 columns, and of the others, the sum of the bytes times
 *       −{@link #BIAS}. A product of unsigned bytes begins with these where each stands for a
 *       number that is smaller by so much.
 * </ul>
 */
public final class ByteTiles {
  /** Tokens of a tile. */
  public static final int TOKENS = TileProduct.TOKENS;

  /** Columns of a sub-block. */
  public static final int SUB = 32;

  public static final int SUBS = 8;

  /** Columns of a tile. */
  public static final int COLUMNS = SUBS * SUB;

  /** Fours of columns of a sub-block. */
  public static final int GROUPS = SUB / 4;

  /** Bytes of a line. */
  public static final int LINE = 4 * TOKENS;

  /** From a sub-block to what belongs to it. */
  public static final int STEPS = GROUPS * LINE;

  public static final int SUMS = STEPS + LINE;
  public static final int STARTS = SUMS + LINE;

  /** From a sub-block to the next. */
  public static final int SUB_BYTES = STARTS + 2 * LINE;

  public static final int BIAS = 128;

  /** Floats of scratch memory that {@link #pack} wants. */
  public static final int SCRATCH = SUB * TOKENS;

  private static final int LOG_2_OF_BIAS = 7;
  private static final float LARGEST = 127;
  private static final int BYTE = 0xFF;

  /** What a vector of activations is divided by at least: nothing is divided by zero. */
  private static final float SMALLEST = 1e-30f;

  /** What 16 numbers that were rounded by {@link VectorOps#TO_INTEGER} have too much, as ints. */
  private static final int TOO_MUCH = 16 * Float.floatToRawIntBits(TO_INTEGER);

  private ByteTiles() {}

  /**
   * Packs columns of up to {@link #TOKENS} tokens.
   *
   * @param rows the first of the columns of the first token
   * @param stride bytes from one token to the next
   * @param tokens how many there are; the others of the tile become something, or stay what they
   *     are
   * @param columns a multiple of 32, at most {@link #COLUMNS}
   * @param scratch {@link #SCRATCH} floats, aligned to a vector
   * @param turned {@link TokenTiles#SCRATCH} bytes
   */
  public static void pack(
      long rows, long stride, int tokens, int columns, long tile, long scratch, long turned) {
    for (int sub = 0; sub < columns / SUB; sub++) {
      TokenTiles.pack(rows + 4L * SUB * sub, stride, tokens, SUB, scratch, turned);
      long to = tile + (long) SUB_BYTES * sub;
      round(scratch, to);
      if (tokens > COUNT) {
        round(scratch + BYTES, to + BYTES);
      }
    }
  }

  /** A sub-block of a vector of tokens: in steps, or C2 leaves vectors of one loop in arrays. */
  private static void round(long x, long target) {
    steps(x, target);
    groups(x, target + SUMS, target, target + STARTS);
    groups(x + 16 * LINE, target + SUMS, target + 4 * LINE, target + STARTS + LINE);
    sums(target);
  }

  /** And what numbers are multiplied by, in the place of the sums. */
  private static void steps(long x, long target) {
    FloatVector even = loadFloats(x).lanewise(ABS);
    FloatVector odd = loadFloats(x + LINE).lanewise(ABS);
    for (int k = 2; k < SUB; k += 2) {
      even = loadFloats(x + (long) LINE * k).lanewise(ABS).max(even);
      odd = loadFloats(x + (long) LINE * k + LINE).lanewise(ABS).max(odd);
    }
    FloatVector largest = FloatVector.broadcast(FLOATS, SMALLEST).max(even).max(odd);
    largest.div(LARGEST).intoMemorySegment(MEMORY, target + STEPS, ORDER);
    FloatVector.broadcast(FLOATS, LARGEST)
        .div(largest)
        .intoMemorySegment(MEMORY, target + SUMS, ORDER);
  }

  /**
   * Half of a sub-block's columns to bytes, and what a product of theirs begins with.
   *
   * @param inverses what they are multiplied by
   */
  private static void groups(long x, long inverses, long target, long start) {
    FloatVector inverse = loadFloats(inverses);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    IntVector sum = IntVector.zero(INTS);
    for (int group = 0; group < GROUPS / 2; group++) {
      long at = x + 4L * LINE * group;
      IntVector a = inverse.fma(loadFloats(at), rounding).reinterpretAsInts();
      IntVector b = inverse.fma(loadFloats(at + LINE), rounding).reinterpretAsInts();
      IntVector c = inverse.fma(loadFloats(at + 2 * LINE), rounding).reinterpretAsInts();
      IntVector d = inverse.fma(loadFloats(at + 3 * LINE), rounding).reinterpretAsInts();
      a.and(BYTE)
          .or(b.and(BYTE).lanewise(LSHL, 8))
          .or(c.and(BYTE).lanewise(LSHL, 16))
          .or(d.lanewise(LSHL, 24))
          .intoMemorySegment(MEMORY, target + (long) LINE * group, ORDER);
      sum = a.add(b).add(c.add(d)).add(sum);
    }
    IntVector.broadcast(INTS, TOO_MUCH)
        .sub(sum)
        .lanewise(LSHL, LOG_2_OF_BIAS)
        .intoMemorySegment(MEMORY, start, ORDER);
  }

  private static void sums(long sub) {
    FloatVector negative =
        (FloatVector) loadInts(sub + STARTS).add(loadInts(sub + STARTS + LINE)).convert(I2F, 0);
    loadFloats(sub + STEPS)
        .mul(-1f / BIAS)
        .mul(negative)
        .intoMemorySegment(MEMORY, sub + SUMS, ORDER);
  }
}
