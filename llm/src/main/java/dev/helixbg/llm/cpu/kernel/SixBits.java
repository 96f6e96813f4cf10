package dev.helixbg.llm.cpu.kernel;

/**
 * The 6-bit scales and minima of Q4_K and Q5_K, four at a time in the bytes of an int.
 *
 * <p>A block has twelve bytes of them, three ints: the first four scales and the first four minima,
 * each with two bits of a later one on top; then the low nibbles of the later four of both. See
 * ggml's {@code block_q4_K}.
 */
final class SixBits {
  private static final int LOW_SIX = 0x3F3F3F3F;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int BITS_4_AND_5 = 0x30303030;

  private SixBits() {}

  /** Numbers 0 to 3. */
  static int low(int first) {
    return first & LOW_SIX;
  }

  /**
   * Numbers 4 to 7.
   *
   * @param nibbles whose low halves are theirs
   * @param first whose top bits are theirs
   */
  static int high(int nibbles, int first) {
    return nibbles & LOW_NIBBLES | first >>> 2 & BITS_4_AND_5;
  }
}
