package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static jdk.incubator.vector.VectorOperators.B2F;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * Computes matrix-vector products with rows of Q8_0 weights, which are read in place. The kernel
 * computes in floats, with vectors of 256 or 128 bits. For weights of eight bits, 16-bit integers
 * would gain nothing, since each product would have to be widened.
 */
public final class Q8NarrowProduct implements RowKernel {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      for (long at = x; at != x + 4L * columns; at += 4 * BLOCK, w += BLOCK_BYTES) {
        ByteVector q0 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 2, ORDER);
        FloatVector a = loadFloats(at + 0).mul((FloatVector) q0.convertShape(B2F, FLOATS, 0));
        if (COUNT == 4) {
          a = loadFloats(at + 16).fma((FloatVector) q0.convertShape(B2F, FLOATS, 1), a);
        }
        ByteVector q1 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 10, ORDER);
        FloatVector b = loadFloats(at + 32).mul((FloatVector) q1.convertShape(B2F, FLOATS, 0));
        if (COUNT == 4) {
          b = loadFloats(at + 48).fma((FloatVector) q1.convertShape(B2F, FLOATS, 1), b);
        }
        ByteVector q2 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 18, ORDER);
        a = loadFloats(at + 64).fma((FloatVector) q2.convertShape(B2F, FLOATS, 0), a);
        if (COUNT == 4) {
          a = loadFloats(at + 80).fma((FloatVector) q2.convertShape(B2F, FLOATS, 1), a);
        }
        ByteVector q3 = ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, w + 26, ORDER);
        b = loadFloats(at + 96).fma((FloatVector) q3.convertShape(B2F, FLOATS, 0), b);
        if (COUNT == 4) {
          b = loadFloats(at + 112).fma((FloatVector) q3.convertShape(B2F, FLOATS, 1), b);
        }
        FloatVector d = broadcastHalf(w);
        even = d.fma(a, even);
        odd = d.fma(b, odd);
      }
      MEMORY.set(FLOAT, y + 4L * row, sumOfLanes(even.add(odd)));
    }
  }
}
