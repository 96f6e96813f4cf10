package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;

/** Floats to blocks of Q8_0: a scale in f16, then 32 bytes. */
public final class Q8Blocks {
  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;
  private static final int LARGEST = 127;

  private Q8Blocks() {}

  /**
   * Rounds to the nearest of 255 multiples of a scale: the largest number of a block is 127 times
   * it, as far as f16 can tell. An error of half a scale at most, but where that is subnormal.
   *
   * @param count of floats, a multiple of 32
   */
  public static void pack(long source, int count, long target) {
    long from = source & ADDRESS;
    long to = target & ADDRESS;
    for (int block = 0; block < count / BLOCK; block++) {
      block(from + 4L * BLOCK * block, to + (long) BLOCK_BYTES * block);
    }
  }

  private static void block(long source, long target) {
    long from = source & ADDRESS;
    long to = target & ADDRESS;
    float largest = 0;
    for (int i = 0; i < BLOCK; i++) {
      largest = Math.max(largest, Math.abs(MEMORY.get(FLOAT, from + 4L * i)));
    }
    short stored = Float.floatToFloat16(largest / LARGEST);
    MEMORY.set(SHORT, to, stored);
    float scale = Float.float16ToFloat(stored);
    float inverse = scale == 0 ? 0 : 1 / scale;
    for (int i = 0; i < BLOCK; i++) {
      int level = Math.round(MEMORY.get(FLOAT, from + 4L * i) * inverse);
      MEMORY.set(BYTE, to + 2 + i, (byte) Math.clamp(level, -LARGEST, LARGEST));
    }
  }
}
