package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORT;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Matrix × vector for Q8_0 rows in place, 512 bits: bytes are widened and converted, two blocks at
 * a time to keep two sums going.
 */
final class Q8Product {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;

  private Q8Product() {}

  /**
   * {@code y[r] = W[r] · x} for rows r = {@code from}, {@code from + step} and so on below {@code
   * to}.
   *
   * @param weights rows of {@code columns} weights, a multiple of 32
   * @param x aligned to 64 bytes
   */
  static void multiply(long weights, int columns, long x, long y, int from, int to, int step) {
    int blocks = columns / BLOCK;
    for (int row = from; row < to; row += step) {
      long w = weights + (long) row * blocks * BLOCK_BYTES;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      long at = 0;
      for (int block = 0; block + 1 < blocks; block += 2, w += 2 * BLOCK_BYTES, at += 256) {
        FloatVector a =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at, ORDER)
                .mul(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 2, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0));
        FloatVector b =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at + 64, ORDER)
                .fma(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 18, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0),
                    a);
        even =
            b.fma(FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, w))), even);
        FloatVector c =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at + 128, ORDER)
                .mul(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 36, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0));
        FloatVector e =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at + 192, ORDER)
                .fma(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 52, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0),
                    c);
        odd =
            e.fma(
                FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, w + 34))),
                odd);
      }
      if (blocks % 2 != 0) {
        FloatVector a =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at, ORDER)
                .mul(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 2, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0));
        FloatVector b =
            FloatVector.fromMemorySegment(FLOATS, MEMORY, x + at + 64, ORDER)
                .fma(
                    (FloatVector)
                        ByteVector.fromMemorySegment(BYTES_16, MEMORY, w + 18, ORDER)
                            .convertShape(VectorOperators.B2F, FLOATS, 0),
                    a);
        even =
            b.fma(FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, w))), even);
      }
      FloatVector sixteen = even.add(odd);
      FloatVector eight = sixteen.add(sixteen.rearrange(LaneSums.BY_8));
      FloatVector four = eight.add(eight.rearrange(LaneSums.BY_4));
      FloatVector two = four.add(four.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, y + 4L * row, two.lane(0) + two.lane(1));
    }
  }
}
