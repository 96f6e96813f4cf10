package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.VectorOps.TO_INTEGER;
import static dev.helixbg.llm.cpu.kernel.VectorOps.largestOf16;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static jdk.incubator.vector.VectorOperators.ADD;
import static jdk.incubator.vector.VectorOperators.I2B;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rounds one row of activations to signed bytes, with vectors of 256 bits or more. The bytes are in
 * column order and equal the bytes that {@code ByteTiles} computes for prompts.
 *
 * <p>Every 32 columns share a rounding step, which is their largest magnitude divided by 127.
 * Layout of every 256 columns: the bytes, then the eight steps, then the offsets.
 *
 * <p>The stored weights of some types are too large: by the scale (Q6_K) or the minimum (Q4_K,
 * Q5_K), multiplied by the factor {@code zero}. An offset corrects the products of 32 or 16
 * columns; it is {@code −zero · step · sum of the columns' bytes}.
 */
public final class ActivationBytes {
  public static final int COLUMNS = 256;
  public static final int SUB = 32;

  /** Offset of the rounding steps in the layout of 256 columns, in bytes. */
  public static final int STEPS = COLUMNS;

  public static final int OFFSETS = STEPS + 4 * COLUMNS / SUB;

  /**
   * Size, in bytes, of 32 activations that were rounded to bytes, and their rounding step. This
   * layout is for weight types whose blocks have one scale.
   */
  public static final int SINGLE_BYTES = SUB + Float.BYTES;

  private static final int HALF = 16;
  private static final int EIGHT = 8;

  private static final VectorSpecies<Byte> QUARTER =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 4));

  private static final float LARGEST = 127;
  private static final float SMALLEST = 1e-30f;

  private ActivationBytes() {}

  public static int blockBytes(boolean halves) {
    return OFFSETS + 4 * COLUMNS / (halves ? HALF : SUB);
  }

  /**
   * Rounds a row of activations and writes it in the layout that the class comment describes.
   *
   * @param columns number of floats, a multiple of 256
   * @param halves whether every 16 columns have an offset; otherwise, every 32 columns have an
   *     offset
   * @param zero factor of the offsets; see the class comment
   */
  public static void round(long x, int columns, boolean halves, float zero, long target) {
    long to = target;
    for (long from = x; from != x + 4L * columns; from += 4 * COLUMNS) {
      long step = to + STEPS;
      long offset = to + OFFSETS;
      for (long sub = from; sub != from + 4 * COLUMNS; sub += 4 * SUB) {
        long bytes = to + (sub - from) / 4;
        float largest = Math.max(SMALLEST, Math.max(largestOf16(sub), largestOf16(sub + 4 * HALF)));
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

  /**
   * Rounds activations for weight types whose blocks have 32 columns and one scale. Every 32 bytes
   * are followed by their rounding step.
   *
   * @param columns number of floats, a multiple of 32
   */
  public static void roundSingly(long x, int columns, long target) {
    long to = target;
    for (long from = x; from != x + 4L * columns; from += 4 * SUB) {
      float largest = Math.max(SMALLEST, Math.max(largestOf16(from), largestOf16(from + 4 * HALF)));
      round(from, LARGEST / largest, to);
      round(from + 4 * HALF, LARGEST / largest, to + HALF);
      MEMORY.set(FLOAT, to + SUB, largest / LARGEST);
      to += SINGLE_BYTES;
    }
  }

  /** Rounds 16 numbers to bytes; returns the exact sum of the bytes. */
  private static float round(long x, float inverse, long target) {
    FloatVector factor = FloatVector.broadcast(FLOATS, inverse);
    FloatVector rounding = FloatVector.broadcast(FLOATS, TO_INTEGER);
    ByteVector none = ByteVector.zero(QUARTER);
    FloatVector a = factor.fma(loadFloats(x), rounding);
    none.or((ByteVector) a.reinterpretAsInts().convertShape(I2B, QUARTER, 0))
        .intoMemorySegment(MEMORY, target, ORDER);
    FloatVector sum = a.sub(rounding);
    if (COUNT == EIGHT) {
      FloatVector b = factor.fma(loadFloats(x + BYTES), rounding);
      none.or((ByteVector) b.reinterpretAsInts().convertShape(I2B, QUARTER, 0))
          .intoMemorySegment(MEMORY, target + EIGHT, ORDER);
      sum = sum.add(b.sub(rounding));
    }
    return sum.reduceLanes(ADD);
  }
}
