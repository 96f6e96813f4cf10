package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

/**
 * Unpacks the eight 6-bit scales, or minima, of Q4_K and Q5_K to bytes.
 *
 * <p>A block has three ints: the first four scales, the first four minima, and the low nibbles of
 * the last four scales and minima. The two upper bits of each byte in the first two ints belong to
 * one of the last four scales or minima. See ggml's {@code block_q4_K}.
 */
public final class SixBitScales {
  private static final int LOW_SIX = 0x3F3F3F3F;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int BITS_4_AND_5 = 0x30303030;

  private SixBitScales() {}

  public static long scales(long block) {
    return eight(MEMORY.get(INT, block + 4 & ADDRESS), third(block));
  }

  public static long minima(long block) {
    return eight(MEMORY.get(INT, block + 8 & ADDRESS), third(block) >>> 4);
  }

  private static int third(long block) {
    return MEMORY.get(INT, block + 12 & ADDRESS);
  }

  private static long eight(int first, int nibbles) {
    int later = nibbles & LOW_NIBBLES | first >>> 2 & BITS_4_AND_5;
    return first & LOW_SIX | (long) later << 32;
  }
}
