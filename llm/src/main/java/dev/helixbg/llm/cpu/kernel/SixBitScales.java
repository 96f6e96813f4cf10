package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

/**
 * The 6-bit scales and minima of Q4_K and Q5_K.
 *
 * <p>A block has twelve bytes of them, three ints: the first four scales and the first four minima,
 * each with two bits of a later one on top; then the low nibbles of the later four of both. See
 * ggml's {@code block_q4_K}.
 */
public final class SixBitScales {
  private static final int LOW_SIX = 0x3F3F3F3F;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int BITS_4_AND_5 = 0x30303030;

  private SixBitScales() {}

  /** The eight scales of a stored block, a byte each. */
  public static long scales(long block) {
    return eight(MEMORY.get(INT, block + 4 & ADDRESS), third(block));
  }

  /** The eight minima. */
  public static long minima(long block) {
    return eight(MEMORY.get(INT, block + 8 & ADDRESS), third(block) >>> 4);
  }

  private static int third(long block) {
    return MEMORY.get(INT, block + 12 & ADDRESS);
  }

  /**
   * Eight numbers as bytes.
   *
   * @param first whose low bits are the first four, and whose top bits are the later ones'
   * @param nibbles whose low halves are these
   */
  private static long eight(int first, int nibbles) {
    int later = nibbles & LOW_NIBBLES | first >>> 2 & BITS_4_AND_5;
    return first & LOW_SIX | (long) later << 32;
  }
}
