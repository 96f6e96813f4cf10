package dev.helixbg.llm.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Computes the exact float values of stored weights, one at a time. This class is the reference for
 * every faster kernel.
 *
 * <p>Layouts and the order of float operations are the same as in ggml's reference ({@code
 * ggml-quants.c}, {@code dequantize_row_*}), so results are bit-identical to those of ggml. All
 * numbers are little-endian. {@code d} and {@code m} are f16 numbers: {@code d} is the factor of
 * quanta (stored integers) or scales, {@code m} the factor of minima.
 */
public final class Dequantize {
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Dequantize() {}

  /**
   * Unpacks {@code elements} weights, which begin at byte {@code offset} of {@code source}.
   *
   * @throws IllegalArgumentException if {@code elements} is not a whole number of blocks
   * @throws IndexOutOfBoundsException if {@code source} or {@code target} is too small; {@code
   *     target} may be partly written
   */
  public static void row(
      TensorType type,
      MemorySegment source,
      long offset,
      int elements,
      float[] target,
      int targetIndex) {
    type.bytes(elements);
    int step = type.blockElements();
    long at = offset;
    for (int i = targetIndex; i < targetIndex + elements; i += step, at += type.blockBytes()) {
      block(type, source, at, target, i);
    }
  }

  private static void block(TensorType type, MemorySegment source, long offset, float[] y, int i) {
    switch (type) {
      case F32 -> y[i] = Float.intBitsToFloat(source.get(INT, offset));
      case F16 -> y[i] = half(source, offset);
      case BF16 -> y[i] = Float.intBitsToFloat(source.get(SHORT, offset) << 16);
      case Q8_0 -> q8(source, offset, y, i);
      case Q4_K -> nibblesK(source, offset, false, y, i);
      case Q5_K -> nibblesK(source, offset, true, y, i);
      case Q6_K -> q6K(source, offset, y, i);
    }
  }

  /** Reads a block of Q8_0: d, then 32 signed bytes. */
  private static void q8(MemorySegment source, long offset, float[] y, int i) {
    float d = half(source, offset);
    for (int j = 0; j < 32; j++) {
      y[i + j] = source.get(ValueLayout.JAVA_BYTE, offset + 2 + j) * d;
    }
  }

  /**
   * Reads a block of Q4_K or Q5_K: d, m, and 12 bytes of 6-bit scales and minima. In Q5_K, 32 bytes
   * of fifth bits follow; bit {@code sub} of byte j belongs to weight j of sub-block {@code sub}.
   * Then come four groups of 32 bytes. Group k, from 0, has sub-block 2k in its low nibbles and
   * sub-block 2k + 1 in its high nibbles.
   */
  private static void nibblesK(
      MemorySegment source, long offset, boolean hasFifthBits, float[] y, int i) {
    float d = half(source, offset);
    float m = half(source, offset + 2);
    for (int sub = 0; sub < 8; sub++) {
      float scale = d * scaleK(source, offset + 4, sub);
      float minimum = m * minimumK(source, offset + 4, sub);
      long pairs = offset + (hasFifthBits ? 48 : 16) + sub / 2 * 32;
      for (int j = 0; j < 32; j++) {
        int low = unsigned(source, pairs + j) >> (sub & 1) * 4 & 15;
        int fifth = hasFifthBits ? unsigned(source, offset + 16 + j) >> sub & 1 : 0;
        y[i + sub * 32 + j] = scale * (low + fifth * 16) - minimum;
      }
    }
  }

  /**
   * Reads a block of Q6_K, which has two halves of 128 weights. First come the low 4 bits, in 64
   * bytes per half: weights 0–63 of the half in low nibbles, weights 64–127 in high nibbles. Then
   * come the high 2 bits, in 32 bytes per half; a byte has the bits of four weights that are 32
   * apart. Then come 16 signed scales, one per 16 weights, and d. 32 is subtracted from each
   * six-bit value.
   */
  private static void q6K(MemorySegment source, long offset, float[] y, int i) {
    float d = half(source, offset + 208);
    for (int w = 0; w < 256; w++) {
      int halfBlock = w / 128;
      int within = w % 128;
      int low = unsigned(source, offset + halfBlock * 64 + within % 64) >> within / 64 * 4 & 15;
      int high =
          unsigned(source, offset + 128 + halfBlock * 32 + within % 32) >> within / 32 * 2 & 3;
      int scale = source.get(ValueLayout.JAVA_BYTE, offset + 192 + w / 16);
      y[i + w] = d * scale * ((low | high << 4) - 32);
    }
  }

  /**
   * Returns scale {@code sub} of a Q4_K or Q5_K block. Bytes 0–3 have the 6 bits of scales 0–3.
   * Scales 4–7 have their low 4 bits in the low nibbles of bytes 8–11, and their high 2 bits in the
   * top bits of bytes 0–3.
   */
  private static int scaleK(MemorySegment source, long packed, int sub) {
    int first = unsigned(source, packed + sub % 4);
    return sub < 4 ? first & 63 : unsigned(source, packed + 4 + sub) & 15 | first >> 6 << 4;
  }

  /**
   * Returns minimum {@code sub} of a Q4_K or Q5_K block. It is stored like a scale in {@link
   * #scaleK}, but in bytes 4–7 instead of bytes 0–3, and in high nibbles instead of low nibbles.
   */
  private static int minimumK(MemorySegment source, long packed, int sub) {
    int first = unsigned(source, packed + 4 + sub % 4);
    return sub < 4 ? first & 63 : unsigned(source, packed + 4 + sub) >> 4 | first >> 6 << 4;
  }

  static float half(MemorySegment source, long offset) {
    return Float.float16ToFloat(source.get(SHORT, offset));
  }

  static int unsigned(MemorySegment source, long offset) {
    return Byte.toUnsignedInt(source.get(ValueLayout.JAVA_BYTE, offset));
  }
}
