package dev.helixbg.llm.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Plain quantisers for tests. They round to the nearest level, with factors from a block's extreme
 * values. They follow the documented layouts, not the code of Dequantize.
 */
public final class Quantize {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** The level of each nibble of IQ4_NL and IQ4_XS. */
  private static final byte[] NON_LINEAR = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
  };

  private Quantize() {}

  /**
   * Stores {@code elements} values of {@code x}, from {@code index} on, as blocks in {@code
   * target}, from byte {@code offset} on.
   */
  public static void row(
      StoredType type, float[] x, int index, int elements, MemorySegment target, long offset) {
    target.asSlice(offset, type.bytes(elements)).fill((byte) 0);
    long at = offset;
    for (int i = index; i < index + elements; i += type.blockElements(), at += type.blockBytes()) {
      switch (type) {
        case TensorType.F32 -> target.set(FLOAT, at, x[i]);
        case TensorType.F16 -> half(target, at, x[i]);
        case TensorType.BF16 ->
            target.set(SHORT, at, (short) (Float.floatToRawIntBits(x[i]) + 0x8000 >> 16));
        case PackedType.Q4_0 -> symmetric(target, at, x, i, 8);
        case PackedType.Q5_0 -> symmetric(target, at, x, i, 16);
        case PackedType.Q4_1 -> affine(target, at, x, i, 15);
        case PackedType.Q5_1 -> affine(target, at, x, i, 31);
        case TensorType.Q8_0 -> bytes(target, at, x, i);
        case TensorType.Q4_K -> superBlock(target, at, x, i, 15);
        case TensorType.Q5_K -> superBlock(target, at, x, i, 31);
        case TensorType.Q6_K -> sixBits(target, at, x, i);
        case PackedType.IQ4_NL -> {
          float d = largest(x, i, 32) / 113;
          half(target, at, d);
          nonLinear(target, at + 2, x, i, d);
        }
        case PackedType.IQ4_XS -> nonLinearSuperBlock(target, at, x, i);
      }
    }
  }

  private static void symmetric(MemorySegment target, long at, float[] x, int i, int zero) {
    float d = roundToHalf(largest(x, i, 32) / (zero - 1));
    half(target, at, d);
    long nibbles = zero == 8 ? at + 2 : at + 6;
    for (int j = 0; j < 32; j++) {
      int q = level(x[i + j], d, -zero, zero - 1) + zero;
      nibble(target, nibbles + j % 16, j / 16, q & 15);
      fifthBit(target, at + 2, j, q >> 4);
    }
  }

  private static void affine(MemorySegment target, long at, float[] x, int i, int top) {
    float min = smallest(x, i, 32);
    float d = roundToHalf((greatest(x, i, 32) - min) / top);
    half(target, at, d);
    half(target, at + 2, min);
    long nibbles = top == 15 ? at + 4 : at + 8;
    for (int j = 0; j < 32; j++) {
      int q = level(x[i + j] - roundToHalf(min), d, 0, top);
      nibble(target, nibbles + j % 16, j / 16, q & 15);
      fifthBit(target, at + 4, j, q >> 4);
    }
  }

  private static void bytes(MemorySegment target, long at, float[] x, int i) {
    float d = roundToHalf(largest(x, i, 32) / 127);
    half(target, at, d);
    for (int j = 0; j < 32; j++) {
      target.set(ValueLayout.JAVA_BYTE, at + 2 + j, (byte) level(x[i + j], d, -127, 127));
    }
  }

  private static void superBlock(MemorySegment target, long at, float[] x, int i, int top) {
    float widest = 0;
    float deepest = 0;
    for (int sub = 0; sub < 8; sub++) {
      float min = Math.min(0, smallest(x, i + 32 * sub, 32));
      widest = Math.max(widest, (greatest(x, i + 32 * sub, 32) - min) / top);
      deepest = Math.max(deepest, -min);
    }
    float d = roundToHalf(widest / 63);
    float dMin = roundToHalf(deepest / 63);
    half(target, at, d);
    half(target, at + 2, dMin);
    for (int sub = 0; sub < 8; sub++) {
      int from = i + 32 * sub;
      float min = Math.min(0, smallest(x, from, 32));
      int m = level(-min, dMin, 0, 63);
      int scale = level((greatest(x, from, 32) + m * dMin) / top, d, 0, 63);
      packSixBits(target, at + 4, sub, scale, m);
      long nibbles = at + (top == 15 ? 16 : 48) + sub / 2 * 32;
      for (int j = 0; j < 32; j++) {
        int q = level(x[from + j] + dMin * m, d * scale, 0, top);
        nibble(target, nibbles + j, sub % 2, q & 15);
        if (q > 15) {
          or(target, at + 16 + j, 1 << sub);
        }
      }
    }
  }

  private static void sixBits(MemorySegment target, long at, float[] x, int i) {
    float d = roundToHalf(largest(x, i, 256) / 31 / 127);
    half(target, at + 208, d);
    for (int w = 0; w < 256; w++) {
      int scale = Math.max(1, level(largest(x, i + w / 16 * 16, 16) / 31, d, 0, 127));
      target.set(ValueLayout.JAVA_BYTE, at + 192 + w / 16, (byte) scale);
      int q = level(x[i + w], d * scale, -32, 31) + 32;
      int part = w / 32 % 4;
      nibble(target, at + w / 128 * 64 + w % 64, part / 2, q & 15);
      or(target, at + 128 + w / 128 * 32 + w % 32, q >> 4 << 2 * part);
    }
  }

  private static void nonLinear(MemorySegment target, long at, float[] x, int i, float d) {
    for (int j = 0; j < 32; j++) {
      int best = 0;
      for (int q = 1; q < 16; q++) {
        if (Math.abs(NON_LINEAR[q] * d - x[i + j]) < Math.abs(NON_LINEAR[best] * d - x[i + j])) {
          best = q;
        }
      }
      nibble(target, at + j % 16, j / 16, best);
    }
  }

  private static void nonLinearSuperBlock(MemorySegment target, long at, float[] x, int i) {
    float d = roundToHalf(largest(x, i, 256) / 113 / 31);
    half(target, at, d);
    for (int sub = 0; sub < 8; sub++) {
      int scale = Math.max(1, level(largest(x, i + 32 * sub, 32) / 113, d, 0, 31)) + 32;
      nibble(target, at + 4 + sub / 2, sub % 2, scale & 15);
      or(target, at + 2 + sub / 4, scale >> 4 << sub % 4 * 2);
      nonLinear(target, at + 8 + 16 * sub, x, i + 32 * sub, d * (scale - 32));
    }
  }

  /** Stores a six-bit scale and a six-bit minimum as Q4_K does. */
  static void packSixBits(MemorySegment target, long packed, int sub, int scale, int minimum) {
    if (sub < 4) {
      or(target, packed + sub, scale);
      or(target, packed + 4 + sub, minimum);
    } else {
      or(target, packed + sub - 4, scale >> 4 << 6);
      or(target, packed + sub, minimum >> 4 << 6);
      or(target, packed + sub + 4, scale & 15 | (minimum & 15) << 4);
    }
  }

  private static void nibble(MemorySegment target, long at, int high, int value) {
    or(target, at, value << 4 * high);
  }

  private static void fifthBit(MemorySegment target, long bits, int j, int bit) {
    if (bit != 0) {
      or(target, bits + j / 8, 1 << j % 8);
    }
  }

  private static void or(MemorySegment target, long at, int bits) {
    target.set(ValueLayout.JAVA_BYTE, at, (byte) (target.get(ValueLayout.JAVA_BYTE, at) | bits));
  }

  private static void half(MemorySegment target, long at, float value) {
    target.set(SHORT, at, Float.floatToFloat16(value));
  }

  private static float roundToHalf(float value) {
    return Float.float16ToFloat(Float.floatToFloat16(value));
  }

  private static int level(float value, float step, int min, int max) {
    return step == 0 ? Math.clamp(0, min, max) : Math.clamp(Math.round(value / step), min, max);
  }

  private static float largest(float[] x, int i, int n) {
    return Math.max(greatest(x, i, n), -smallest(x, i, n));
  }

  private static float greatest(float[] x, int i, int n) {
    float max = x[i];
    for (int j = 1; j < n; j++) {
      max = Math.max(max, x[i + j]);
    }
    return max;
  }

  private static float smallest(float[] x, int i, int n) {
    float min = x[i];
    for (int j = 1; j < n; j++) {
      min = Math.min(min, x[i + j]);
    }
    return min;
  }
}
