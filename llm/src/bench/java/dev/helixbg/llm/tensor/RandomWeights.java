package dev.helixbg.llm.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;

/**
 * Fills memory with blocks of random weights that have a given spread. Benchmarks and tests need
 * weights of every type, but no real model.
 *
 * <p>All bits are uniform, except the f16 factors of a block, which determine the magnitude of its
 * weights. Blocks are made about as fast as memory is written, so the weights of a whole model take
 * seconds.
 */
public final class RandomWeights {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private RandomWeights() {}

  /**
   * Writes {@code elements} weights of {@code type} from byte {@code offset} on, with root mean
   * square near {@code spread}.
   *
   * @throws IllegalArgumentException if {@code elements} is not a whole number of blocks
   */
  public static void fill(
      TensorType type,
      MemorySegment target,
      long offset,
      long elements,
      float spread,
      RandomGenerator random) {
    long bytes = type.bytes(elements);
    if (type.blockElements() == 1) {
      floats(type, target, offset, elements, spread, random);
      return;
    }
    long i = 0;
    for (; i + 8 <= bytes; i += 8) {
      target.set(LONG, offset + i, random.nextLong());
    }
    for (; i < bytes; i++) {
      target.set(ValueLayout.JAVA_BYTE, offset + i, (byte) random.nextInt());
    }
    for (long at = offset; at < offset + bytes; at += type.blockBytes()) {
      factors(type, target, at, spread);
    }
  }

  /** Writes uniform values up to ±√3 · spread, so that their root mean square is the spread. */
  private static void floats(
      TensorType type,
      MemorySegment target,
      long offset,
      long elements,
      float spread,
      RandomGenerator random) {
    float limit = spread * (float) Math.sqrt(3);
    for (long i = 0; i < elements; i++) {
      float value = (2 * random.nextFloat() - 1) * limit;
      switch (type) {
        case F32 -> target.set(Dequantize.INT, offset + 4 * i, Float.floatToRawIntBits(value));
        case F16 -> target.set(Dequantize.SHORT, offset + 2 * i, Float.floatToFloat16(value));
        case BF16 ->
            target.set(
                Dequantize.SHORT, offset + 2 * i, (short) (Float.floatToRawIntBits(value) >>> 16));
        default -> throw new IllegalArgumentException(type + " has blocks");
      }
    }
  }

  /**
   * Writes the factors of a block. Each divisor is the root mean square of weights with random bits
   * and d = 1. Minima are chosen so that the mean weight is 0.
   */
  private static void factors(TensorType type, MemorySegment target, long offset, float spread) {
    switch (type) {
      case Q8_0 -> half(target, offset, spread / 73.9f);
      case Q4_K -> {
        half(target, offset, spread / 258);
        half(target, offset + 2, spread / 258 * 7.5f);
      }
      case Q5_K -> {
        half(target, offset, spread / 527);
        half(target, offset + 2, spread / 527 * 15.5f);
      }
      case Q6_K -> half(target, offset + 208, spread / 1366);
      case F32, F16, BF16 -> throw new IllegalArgumentException(type + " has no blocks");
    }
  }

  private static void half(MemorySegment target, long offset, float value) {
    target.set(Dequantize.SHORT, offset, Float.floatToFloat16(value));
  }
}
