package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.ADD;
import static jdk.incubator.vector.VectorOperators.I2B;
import static jdk.incubator.vector.VectorOperators.MAX;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * One row of activations as signed bytes, in vectors of 256 bits: the numbers that prompts have of
 * it ({@code ByteTiles}), in the order of its columns.
 *
 * <p>32 columns share a step, a 127th of the largest magnitude. Layout, of each 256 columns: the
 * bytes; the eight steps; then the offsets: what a weight that is larger by {@code zero} than it
 * should be has too much, so {@code −zero} times the step times the sum of the bytes of 32 columns,
 * or of 16.
 */
public final class ActivationBytes {
  /** Columns of a block. */
  public static final int COLUMNS = 256;

  /** Columns that share a step. */
  public static final int SUB = 32;

  /** From a block to what belongs to it. */
  public static final int STEPS = COLUMNS;

  public static final int OFFSETS = STEPS + 4 * COLUMNS / SUB;

  private static final int HALF = 16;
  private static final int EIGHT = 8;
  private static final float LARGEST = 127;
  private static final float SMALLEST = 1e-30f;

  private ActivationBytes() {}

  /** Bytes of a block. */
  public static int blockBytes(boolean halves) {
    return OFFSETS + 4 * COLUMNS / (halves ? HALF : SUB);
  }

  /**
   * Rounds {@code columns} floats.
   *
   * @param columns a multiple of 256
   * @param halves whether 16 columns have an offset of their own
   */
  public static void round(long x, int columns, boolean halves, float zero, long target) {
    long to = target;
    for (long from = x; from != x + 4L * columns; from += 4 * COLUMNS) {
      long step = to + STEPS;
      long offset = to + OFFSETS;
      for (long sub = from; sub != from + 4 * COLUMNS; sub += 4 * SUB) {
        long bytes = to + (sub - from) / 4;
        float largest = Math.max(SMALLEST, Math.max(largest(sub), largest(sub + 4 * HALF)));
        float inverse = LARGEST / largest;
        float first = round(sub, inverse, bytes);
        float second = round(sub + 4 * HALF, inverse, bytes + HALF);
        float size = largest / LARGEST;
        MEMORY.set(FLOAT, step, size);
        step += 4;
        if (halves) {
          MEMORY.set(FLOAT, offset, -zero * size * first);
          MEMORY.set(FLOAT, offset + 4, -zero * size * second);
          offset += 8;
        } else {
          MEMORY.set(FLOAT, offset, -zero * size * (first + second));
          offset += 4;
        }
      }
      to += blockBytes(halves);
    }
  }

  /** Of 16 numbers the largest magnitude. */
  private static float largest(long x) {
    FloatVector a = loadFloats(x).lanewise(ABS);
    return loadFloats(x + 4 * EIGHT).lanewise(ABS).max(a).reduceLanes(MAX);
  }

  /** 16 numbers to bytes; returns their sum, which is exact. */
  private static float round(long x, float inverse, long target) {
    FloatVector factor = FloatVector.broadcast(FLOATS, inverse);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    ByteVector none = ByteVector.zero(ByteVector.SPECIES_64);
    FloatVector a = factor.fma(loadFloats(x), rounding);
    FloatVector b = factor.fma(loadFloats(x + 4 * EIGHT), rounding);
    none.or((ByteVector) a.reinterpretAsInts().convertShape(I2B, ByteVector.SPECIES_64, 0))
        .intoMemorySegment(MEMORY, target, ORDER);
    none.or((ByteVector) b.reinterpretAsInts().convertShape(I2B, ByteVector.SPECIES_64, 0))
        .intoMemorySegment(MEMORY, target + EIGHT, ORDER);
    return a.sub(rounding).add(b.sub(rounding)).reduceLanes(ADD);
  }
}
