package dev.helixbg.llm.tensor;

import static dev.helixbg.llm.tensor.Dequantize.INT;
import static dev.helixbg.llm.tensor.Dequantize.SHORT;
import static dev.helixbg.llm.tensor.Dequantize.half;
import static dev.helixbg.llm.tensor.Dequantize.unsigned;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/**
 * The element types of model files that no kernel reads. Their weights are therefore unpacked to
 * another type. Types without a minimum become Q8_0, which represents their levels (integers)
 * exactly; only the scales of IQ4_XS are rounded, to f16. Types with a minimum become F16.
 *
 * <p>Layouts are the same as in ggml's {@code ggml-quants.c}, {@code dequantize_row_*}. All numbers
 * are little-endian. d (the factor of levels) and m (the minimum) are f16.
 */
public enum PackedType implements StoredType {
  /** Layout: d (factor), then 16 bytes of nibbles; a level is the nibble minus 8. */
  Q4_0(2, 32, 18, TensorType.Q8_0),
  /** Layout: d (factor), m (minimum), then 16 bytes of nibbles. */
  Q4_1(3, 32, 20, TensorType.F16),
  /**
   * Layout: d (factor), 32 fifth bits, then 16 bytes of nibbles; a level is the five bits minus 16.
   */
  Q5_0(6, 32, 22, TensorType.Q8_0),
  /** Layout: d (factor), m (minimum), 32 fifth bits, then 16 bytes of nibbles. */
  Q5_1(7, 32, 24, TensorType.F16),
  /** Layout: d (factor), then 16 bytes of nibbles; a nibble is the index of a level in a table. */
  IQ4_NL(20, 32, 18, TensorType.Q8_0),
  /**
   * Layout: d (factor), the high 2 bits of eight scales, their low 4 bits, then eight sub-blocks of
   * nibbles as in IQ4_NL. 32 is subtracted from each scale.
   */
  IQ4_XS(23, 256, 136, TensorType.Q8_0);

  /**
   * Number of weights that share a scale. Byte j has weight j in its low nibble and weight j + 16
   * in its high nibble.
   */
  private static final int GROUP = 32;

  private static final byte[] NON_LINEAR_LEVELS = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
  };

  private final Block block;
  private final TensorType computed;

  PackedType(int id, int blockElements, int blockBytes, TensorType computed) {
    block = new Block(id, blockElements, blockBytes);
    this.computed = computed;
  }

  @Override
  public Block block() {
    return block;
  }

  @Override
  public TensorType computed() {
    return computed;
  }

  /** Unpacks all blocks of {@code stored} to the type {@link #computed}, on all processors. */
  public void unpack(MemorySegment stored, MemorySegment target) {
    long unpackedBytes = computed.bytes(blockElements());
    LongStream.range(0, stored.byteSize() / blockBytes())
        .parallel()
        .forEach(i -> unpack(stored, i * blockBytes(), target, i * unpackedBytes));
  }

  private void unpack(MemorySegment source, long at, MemorySegment target, long to) {
    float d = half(source, at);
    switch (this) {
      case Q4_0, IQ4_NL -> group(source, at + 2, 0, d, target, to);
      case Q4_1 -> group(source, at + 4, 0, d, target, to, half(source, at + 2));
      case Q5_0 -> group(source, at + 6, source.get(INT, at + 2), d, target, to);
      case Q5_1 ->
          group(source, at + 8, source.get(INT, at + 4), d, target, to, half(source, at + 2));
      case IQ4_XS -> {
        int high = Short.toUnsignedInt(source.get(SHORT, at + 2));
        for (int sub = 0; sub < blockElements() / GROUP; sub++) {
          int low = unsigned(source, at + 4 + sub / 2) >> (sub & 1) * 4 & 15;
          int scale = (low | (high >> 2 * sub & 3) << 4) - 32;
          long subTo = to + sub * computed.bytes(GROUP);
          group(source, at + 8 + sub * 16L, 0, d * scale, target, subTo);
        }
      }
    }
  }

  /** Unpacks 32 weights to a block of Q8_0. */
  private void group(
      MemorySegment source, long nibbles, int fifths, float d, MemorySegment target, long to) {
    target.set(SHORT, to, Float.floatToFloat16(d));
    for (int i = 0; i < GROUP; i++) {
      int level = level(nibble(source, nibbles, i) | (fifths >>> i & 1) << 4);
      target.set(ValueLayout.JAVA_BYTE, to + 2 + i, (byte) level);
    }
  }

  private int level(int stored) {
    return switch (this) {
      case Q4_0 -> stored - 8;
      case Q5_0 -> stored - 16;
      default -> NON_LINEAR_LEVELS[stored];
    };
  }

  /** Unpacks 32 weights to F16: d times the level, plus m. */
  private static void group(
      MemorySegment source,
      long nibbles,
      int fifths,
      float d,
      MemorySegment target,
      long to,
      float m) {
    for (int i = 0; i < GROUP; i++) {
      int level = nibble(source, nibbles, i) | (fifths >>> i & 1) << 4;
      target.set(SHORT, to + 2L * i, Float.floatToFloat16(level * d + m));
    }
  }

  private static int nibble(MemorySegment source, long nibbles, int i) {
    return unsigned(source, nibbles + i % 16) >> i / 16 * 4 & 15;
  }
}
