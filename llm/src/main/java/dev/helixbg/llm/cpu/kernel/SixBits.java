package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.INTS_4;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * The 6-bit scales and minima of Q4_K and Q5_K, four at a time in the bytes of an int.
 *
 * <p>A block has twelve bytes of them, three ints: the first four scales and the first four minima,
 * each with two bits of a later one on top; then the low nibbles of the later four of both. See
 * ggml's {@code block_q4_K}.
 */
public final class SixBits {
  // All at once from the 16 bytes that open a block, as ints: d and m, then the three. Wanted, as
  // bytes: scales 0–3, scales 4–7, minima 0–3, minima 4–7. Kernels spell it out:
  // head.rearrange(FIRST).lanewise(LSHR, FIRST_SHIFT).and(FIRST_MASK), or-ed with the second.
  public static final VectorShuffle<Integer> FIRST =
      VectorShuffle.fromArray(INTS_4, new int[] {1, 1, 2, 2}, 0);
  public static final IntVector FIRST_SHIFT =
      IntVector.fromArray(INTS_4, new int[] {0, 2, 0, 2}, 0);
  public static final IntVector FIRST_MASK =
      IntVector.fromArray(INTS_4, new int[] {0x3F3F3F3F, 0x30303030, 0x3F3F3F3F, 0x30303030}, 0);
  public static final VectorShuffle<Integer> SECOND =
      VectorShuffle.fromArray(INTS_4, new int[] {0, 3, 0, 3}, 0);
  public static final IntVector SECOND_SHIFT =
      IntVector.fromArray(INTS_4, new int[] {0, 0, 0, 4}, 0);
  public static final IntVector SECOND_MASK =
      IntVector.fromArray(INTS_4, new int[] {0, 0x0F0F0F0F, 0, 0x0F0F0F0F}, 0);

  private static final int LOW_SIX = 0x3F3F3F3F;
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int BITS_4_AND_5 = 0x30303030;

  private SixBits() {}

  /** Numbers 0 to 3. */
  public static int low(int first) {
    return first & LOW_SIX;
  }

  /**
   * Numbers 4 to 7.
   *
   * @param nibbles whose low halves are theirs
   * @param first whose top bits are theirs
   */
  public static int high(int nibbles, int first) {
    return nibbles & LOW_NIBBLES | first >>> 2 & BITS_4_AND_5;
  }
}
