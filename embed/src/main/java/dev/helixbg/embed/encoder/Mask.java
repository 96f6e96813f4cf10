package dev.helixbg.embed.encoder;

import static dev.helixbg.embed.encoder.AttentionCode.TOKENS;
import static dev.helixbg.embed.encoder.AttentionCode.WIDE_STRIDE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Mask that excludes the positions after a text's last token from attention. Texts of all lengths
 * share one row: the mask of a shorter text begins later in the row.
 *
 * <p>The row has values that are added to scores: 0 for a token, negative infinity elsewhere.
 * {@link AttentionCode#WIDE_STRIDE} bytes later, a second row has bits that the softmax combines by
 * AND with its powers of two: all 1 for a token, all 0 elsewhere.
 */
final class Mask {
  private final long address;

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

  long of(int tokens) {
    return address + (long) Float.BYTES * (TOKENS - tokens);
  }
}
