package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.AttentionCode.TOKENS;
import static dev.helixbg.embed.encoder.AttentionCode.WIDE_STRIDE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Mask that tells tokens from what lies behind them, for texts of any length. It has one row for
 * the longest text, in which a shorter text begins later.
 *
 * <p>A row is what scores are added to, 0 of a token and negative infinity elsewhere; {@link
 * AttentionCode#WIDE_STRIDE} bytes behind it, the bits of a power that stay: all of a token.
 */
final class Mask {
  private final long address;

  /**
   * @param arena owns it
   */
  Mask(Arena arena) {
    MemorySegment rows = arena.allocate(2L * WIDE_STRIDE, 64);
    float[] scores = new float[WIDE_STRIDE / Float.BYTES];
    Arrays.fill(scores, TOKENS, scores.length, Float.NEGATIVE_INFINITY);
    int[] bits = new int[TOKENS];
    Arrays.fill(bits, -1);
    var buffer = rows.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    buffer.asFloatBuffer().put(scores);
    buffer.position(WIDE_STRIDE);
    buffer.asIntBuffer().put(bits);
    address = rows.address();
  }

  /** The address of the row for a text, of eight places more than it has tokens. */
  long of(int tokens) {
    return address + (long) Float.BYTES * (TOKENS - tokens);
  }
}
