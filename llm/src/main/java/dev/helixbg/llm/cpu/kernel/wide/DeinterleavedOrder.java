package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/**
 * The order in which kernels that take weights four bytes at a time, one int per lane, meet the
 * activations: first those of byte 0 of every lane, then of byte 1, 2 and 3. 512 bits.
 */
public final class DeinterleavedOrder {
  private static final VectorShuffle<Float> BYTE_0 = every(0);
  private static final VectorShuffle<Float> BYTE_1 = every(1);
  private static final VectorShuffle<Float> BYTE_2 = every(2);
  private static final VectorShuffle<Float> BYTE_3 = every(3);

  private static final VectorMask<Float> QUARTER_1 = VectorMask.fromLong(FLOATS, 0x00F0);
  private static final VectorMask<Float> QUARTER_2 = VectorMask.fromLong(FLOATS, 0x0F00);
  private static final VectorMask<Float> QUARTER_3 = VectorMask.fromLong(FLOATS, 0xF000);

  private DeinterleavedOrder() {}

  /** Lane l wants number 4·l + k of the four vectors; in the vector that holds it, modulo 16. */
  private static VectorShuffle<Float> every(int k) {
    return VectorShuffle.fromOp(FLOATS, lane -> (4 * lane + k) % 16);
  }

  /**
   * 64 floats, 16 from each of four addresses on, to four vectors from address {@code target} on:
   * vector k holds numbers 4·l + k in lane l.
   */
  public static void byFour(long first, long second, long third, long fourth, long target) {
    FloatVector a = loadFloats(first);
    FloatVector b = loadFloats(second);
    FloatVector c = loadFloats(third);
    FloatVector d = loadFloats(fourth);
    a.rearrange(BYTE_0)
        .blend(b.rearrange(BYTE_0), QUARTER_1)
        .blend(c.rearrange(BYTE_0), QUARTER_2)
        .blend(d.rearrange(BYTE_0), QUARTER_3)
        .intoMemorySegment(MEMORY, target, ORDER);
    a.rearrange(BYTE_1)
        .blend(b.rearrange(BYTE_1), QUARTER_1)
        .blend(c.rearrange(BYTE_1), QUARTER_2)
        .blend(d.rearrange(BYTE_1), QUARTER_3)
        .intoMemorySegment(MEMORY, target + 64, ORDER);
    a.rearrange(BYTE_2)
        .blend(b.rearrange(BYTE_2), QUARTER_1)
        .blend(c.rearrange(BYTE_2), QUARTER_2)
        .blend(d.rearrange(BYTE_2), QUARTER_3)
        .intoMemorySegment(MEMORY, target + 128, ORDER);
    a.rearrange(BYTE_3)
        .blend(b.rearrange(BYTE_3), QUARTER_1)
        .blend(c.rearrange(BYTE_3), QUARTER_2)
        .blend(d.rearrange(BYTE_3), QUARTER_3)
        .intoMemorySegment(MEMORY, target + 192, ORDER);
  }
}
