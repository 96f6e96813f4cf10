package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.B2F;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * Matrix × vector for Q8_0 rows in place, in floats, 256 and 128 bits. Of weights that are bytes
 * already, 16-bit integers would save nothing: their products have to be widened one by one.
 */
final class Q8NarrowProduct {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;

  private Q8NarrowProduct() {}

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 32
   * @param x aligned to 64 bytes
   */
  static void multiply(long weights, int columns, long x, long y, int from, int to, int step) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      for (long at = x; at != x + 4L * columns; at += 4 * BLOCK, w += BLOCK_BYTES) {
        ByteVector q0 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 2, ORDER);
        FloatVector a =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 0, ORDER)
                .mul((FloatVector) q0.convertShape(B2F, FLOATS, 0));
        if (COUNT == 4) {
          a =
              FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 16, ORDER)
                  .fma((FloatVector) q0.convertShape(B2F, FLOATS, 1), a);
        }
        ByteVector q1 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 10, ORDER);
        FloatVector b =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 32, ORDER)
                .mul((FloatVector) q1.convertShape(B2F, FLOATS, 0));
        if (COUNT == 4) {
          b =
              FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 48, ORDER)
                  .fma((FloatVector) q1.convertShape(B2F, FLOATS, 1), b);
        }
        ByteVector q2 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 18, ORDER);
        a =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 64, ORDER)
                .fma((FloatVector) q2.convertShape(B2F, FLOATS, 0), a);
        if (COUNT == 4) {
          a =
              FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 80, ORDER)
                  .fma((FloatVector) q2.convertShape(B2F, FLOATS, 1), a);
        }
        ByteVector q3 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 26, ORDER);
        b =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 96, ORDER)
                .fma((FloatVector) q3.convertShape(B2F, FLOATS, 0), b);
        if (COUNT == 4) {
          b =
              FloatVector.fromMemorySegment(FLOATS, MEMORY, at + 112, ORDER)
                  .fma((FloatVector) q3.convertShape(B2F, FLOATS, 1), b);
        }
        FloatVector d = FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, w)));
        even = d.fma(a, even);
        odd = d.fma(b, odd);
      }
      FloatVector lanes = even.add(odd);
      if (COUNT == 8) {
        lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
      }
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, lanes.lane(0) + lanes.lane(1));
    }
  }
}
