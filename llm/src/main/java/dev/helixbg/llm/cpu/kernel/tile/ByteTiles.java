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
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;

import dev.helixbg.llm.cpu.kernel.ByteRows;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Activations as signed bytes, in tiles. A tile has 256 columns and as many tokens as two vectors
 * have lanes.
 *
 * <p>Every 32 columns of a token share a rounding step, which is their largest magnitude divided by
 * 127. The rounding error is at most half a step. Layout of a tile: {@link #SUBS} sub-blocks of 32
 * columns. Each sub-block has
 *
 * <ul>
 *   <li>{@link #GROUPS} lines of {@link #TOKENS} ints: four columns of each token;
 *   <li>a line of floats: the rounding steps;
 *   <li>a line of floats: the sums of the rounded numbers;
 *   <li>two lines of ints: the sum of the bytes, times −{@link ByteRows#bias}. The first line is
 *       for the first 16 columns, the second line for the last 16 columns. A kernel adds products
 *       of weights and activations to these ints, so that the bias of the weights cancels out. For
 *       sums of pairs (see {@link ByteRows}), each half of an int has the value for half of the
 *       columns: two of every four.
 * </ul>
 */
public final class ByteTiles {
  public static final int TOKENS = TileProduct.TOKENS;
  public static final int SUB = 32;

  public static final int SUBS = 8;
  public static final int COLUMNS = SUBS * SUB;

  public static final int GROUPS = SUB / 4;

  public static final int LINE = 4 * TOKENS;

  /** Offset of the rounding steps in a sub-block, in bytes. */
  public static final int STEPS = GROUPS * LINE;

  public static final int SUMS = STEPS + LINE;
  public static final int STARTS = SUMS + LINE;
  public static final int SUB_BYTES = STARTS + 2 * LINE;

  /** Size of the scratch memory of {@link #pack}, in floats. */
  public static final long SCRATCH = SUB * TOKENS + TokenTiles.SCRATCH / Float.BYTES;

  private static final int LOG_2_OF_BIAS = 7;
  private static final int LOG_2_OF_BIAS_OF_PAIRS = 5;
  private static final int HALF = 16;
  private static final float LARGEST = 127;
  private static final int BYTE = 0xFF;
  private static final int SHORT = 0xFFFF;

  /** Lower bound of the largest magnitude, which prevents division by zero. */
  private static final float SMALLEST = 1e-30f;

  /**
   * Excess in the sum of eight rounded numbers whose bits are added as ints. A number is rounded by
   * adding {@link VectorOps#TO_INTEGER}. The bits of the result, as an int, are the bits of {@code
   * TO_INTEGER} plus the wanted integer.
   */
  private static final int TOO_MUCH = 8 * Float.floatToRawIntBits(TO_INTEGER);

  private ByteTiles() {}

  /**
   * Rounds activations to bytes and packs them into a tile.
   *
   * @param rows address of the first column of the first token
   * @param stride distance between tokens, in bytes
   * @param tokens up to {@link #TOKENS}; the content of the tile's other tokens is undefined
   * @param columns number of columns, a multiple of 32, at most {@link #COLUMNS}
   * @param pairs whether the tile is for sums of pairs (see {@link ByteRows})
   * @param scratch memory of {@link #SCRATCH} floats, aligned to a vector
   */
  public static void pack(
      long rows, long stride, int tokens, int columns, long tile, boolean pairs, long scratch) {
    long turned = scratch + 4L * SUB * TOKENS;
    for (int sub = 0; sub < columns / SUB; sub++) {
      TokenTiles.pack(rows + 4L * SUB * sub, stride, tokens, SUB, scratch, turned);
      long to = tile + (long) SUB_BYTES * sub;
      round(scratch, to, pairs);
      if (tokens > COUNT) {
        round(scratch + BYTES, to + BYTES, pairs);
      }
    }
  }

  /**
   * Rounds a sub-block and writes its rounding steps and sums. Each stage is a separate method. If
   * one loop had all stages, C2 would keep vectors in arrays, which is slow.
   */
  private static void round(long x, long target, boolean pairs) {
    steps(x, target);
    groups(x, target + SUMS, target, target + STARTS, pairs);
    groups(x + 16 * LINE, target + SUMS, target + 4 * LINE, target + STARTS + LINE, pairs);
    if (pairs) {
      sumsOfPairs(target);
    } else {
      sums(target);
    }
  }

  /**
   * Writes the rounding steps. Also writes the inverses of the steps, at the address where {@link
   * #sums} or {@link #sumsOfPairs} later overwrites them with the sums.
   */
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
   * Rounds half of a sub-block. Also writes the ints to which a kernel adds the products, as the
   * class comment describes.
   *
   * @param inverses address of the inverses of the rounding steps
   */
  private static void groups(long x, long inverses, long target, long start, boolean pairs) {
    FloatVector inverse = loadFloats(inverses);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    IntVector first = IntVector.zero(INTS);
    IntVector second = first;
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
      first = a.add(b).add(first);
      second = c.add(d).add(second);
    }
    IntVector tooMuch = IntVector.broadcast(INTS, TOO_MUCH);
    if (pairs) {
      tooMuch
          .sub(first)
          .lanewise(LSHL, LOG_2_OF_BIAS_OF_PAIRS)
          .and(SHORT)
          .or(tooMuch.sub(second).lanewise(LSHL, HALF + LOG_2_OF_BIAS_OF_PAIRS))
          .intoMemorySegment(MEMORY, start, ORDER);
    } else {
      tooMuch
          .sub(first)
          .add(tooMuch.sub(second))
          .lanewise(LSHL, LOG_2_OF_BIAS)
          .intoMemorySegment(MEMORY, start, ORDER);
    }
  }

  private static void sums(long sub) {
    FloatVector negative =
        (FloatVector) loadInts(sub + STARTS).add(loadInts(sub + STARTS + LINE)).convert(I2F, 0);
    loadFloats(sub + STEPS)
        .mul(-1f / (1 << LOG_2_OF_BIAS))
        .mul(negative)
        .intoMemorySegment(MEMORY, sub + SUMS, ORDER);
  }

  private static void sumsOfPairs(long sub) {
    IntVector first = loadInts(sub + STARTS);
    IntVector second = loadInts(sub + STARTS + LINE);
    IntVector low =
        first
            .lanewise(LSHL, HALF)
            .lanewise(ASHR, HALF)
            .add(second.lanewise(LSHL, HALF).lanewise(ASHR, HALF));
    FloatVector negative =
        (FloatVector)
            first.lanewise(ASHR, HALF).add(second.lanewise(ASHR, HALF)).add(low).convert(I2F, 0);
    loadFloats(sub + STEPS)
        .mul(-1f / (1 << LOG_2_OF_BIAS_OF_PAIRS))
        .mul(negative)
        .intoMemorySegment(MEMORY, sub + SUMS, ORDER);
  }
}
