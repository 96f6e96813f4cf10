package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.WideningLoads;
import jdk.incubator.vector.FloatVector;

/**
 * Matrix × vector for Q8_0 rows in place, 512 bits: bytes are widened and converted, two blocks at
 * a time to keep two sums going.
 */
public final class Q8Product implements RowKernel {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    int blocks = columns / BLOCK;
    for (int row = from; row < to; row += step) {
      long w = weights + (long) row * blocks * BLOCK_BYTES;
      FloatVector even = FloatVector.zero(FLOATS);
      FloatVector odd = even;
      long at = 0;
      for (int block = 0; block + 1 < blocks; block += 2, w += 2 * BLOCK_BYTES, at += 256) {
        FloatVector a = loadFloats(x + at).mul(WideningLoads.bytes(w + 2));
        FloatVector b = loadFloats(x + at + 64).fma(WideningLoads.bytes(w + 18), a);
        even = b.fma(broadcastHalf(w), even);
        FloatVector c = loadFloats(x + at + 128).mul(WideningLoads.bytes(w + 36));
        FloatVector e = loadFloats(x + at + 192).fma(WideningLoads.bytes(w + 52), c);
        odd = e.fma(broadcastHalf(w + 34), odd);
      }
      if (blocks % 2 != 0) {
        FloatVector a = loadFloats(x + at).mul(WideningLoads.bytes(w + 2));
        FloatVector b = loadFloats(x + at + 64).fma(WideningLoads.bytes(w + 18), a);
        even = b.fma(broadcastHalf(w), even);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(even.add(odd)));
    }
  }
}
