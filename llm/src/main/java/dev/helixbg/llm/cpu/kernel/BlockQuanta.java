package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.half;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static dev.helixbg.llm.cpu.lanes.Lanes.storeSixBits;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.IntVector;

/**
 * Unpacks a block of weights of any quantised type. The quanta (stored integers) become signed
 * bytes, in order, with a scale and a minimum per 16 weights. The caller then computes the weights:
 * a weight is byte · scale + minimum, bit-identical to the weight from {@link Dequantize}. Each
 * thread needs its own instance.
 */
final class BlockQuanta {
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final long LOW_BITS = 0x0101010101010101L;
  private final long levels;

  final float[] scales = new float[16];
  final float[] minima = new float[16];

  BlockQuanta(Arena arena) {
    levels = arena.allocate(256, 64).address();
  }

  static boolean hasMinima(TensorType type) {
    return type == TensorType.Q4_K || type == TensorType.Q5_K;
  }

  /** Unpacks a block and returns the address of the bytes, one for each of the block's weights. */
  long of(TensorType type, long block) {
    switch (type) {
      case Q8_0 -> {
        float d = half(block);
        scales[0] = d;
        scales[1] = d;
        return block + 2;
      }
      case Q4_K -> {
        scalesAndMinima(block);
        nibblePairs(block + 16);
      }
      case Q5_K -> {
        scalesAndMinima(block);
        nibblePairs(block + 48);
        fifthBits(block + 16);
      }
      case Q6_K -> {
        float d = half(block + 208);
        for (int group = 0; group < 16; group++) {
          scales[group] = d * MEMORY.get(BYTE, block + 192 + group);
        }
        sixBits(block);
      }
      case F32, F16, BF16 -> throw new IllegalArgumentException(type + " has no blocks");
    }
    return levels;
  }

  private void scalesAndMinima(long source) {
    float d = half(source);
    float m = half(source + 2);
    long scaleBits = SixBitScales.scales(source);
    long minimumBits = SixBitScales.minima(source);
    for (int i = 0; i < 8; i++) {
      scales[2 * i] = d * (int) (scaleBits >>> 8 * i & 63);
      scales[2 * i + 1] = scales[2 * i];
      minima[2 * i] = -(m * (int) (minimumBits >>> 8 * i & 63));
      minima[2 * i + 1] = minima[2 * i];
    }
  }

  /**
   * Unpacks the nibbles of four groups of 32 bytes. In the result, a group's low nibbles come
   * before its high nibbles.
   */
  private void nibblePairs(long source) {
    for (int i = 0; i < 8; i++) {
      IntVector z = loadInts4(source + 16L * i);
      long to = i / 2 * 64L + i % 2 * 16L;
      z.and(LOW_NIBBLES).intoMemorySegment(MEMORY, levels + to, ORDER);
      z.lanewise(LSHR, 4).and(LOW_NIBBLES).intoMemorySegment(MEMORY, levels + to + 32, ORDER);
    }
  }

  /**
   * Adds the fifth bit of each weight. Bit {@code sub} of byte j belongs to weight j of sub-block
   * {@code sub}.
   *
   * <p>The method processes eight bytes at a time, as one long. If it used vectors, C2 would fail
   * to compile the shift by a variable number in about one of five processes.
   */
  private void fifthBits(long stored) {
    long source = stored & ADDRESS;
    long target = levels & ADDRESS;
    for (int part = 0; part < 4; part++) {
      long bits = MEMORY.get(LONG, source + 8L * part);
      for (int sub = 0; sub < 8; sub++) {
        long to = target + 32L * sub + 8L * part;
        MEMORY.set(LONG, to, MEMORY.get(LONG, to) | (bits >>> sub & LOW_BITS) << 4);
      }
    }
  }

  private void sixBits(long source) {
    for (int i = 0; i < 4; i++) {
      long low = source + i / 2 * 64L + i % 2 * 16L;
      IntVector a = loadInts4(low);
      IntVector b = loadInts4(low + 32);
      IntVector high = loadInts4(source + 128 + 16L * i);
      long to = levels + i / 2 * 128L + i % 2 * 16L;
      storeSixBits(a, high, to);
      storeSixBits(b, high.lanewise(LSHR, 2), to + 32);
      storeSixBits(a.lanewise(LSHR, 4), high.lanewise(LSHR, 4), to + 64);
      storeSixBits(b.lanewise(LSHR, 4), high.lanewise(LSHR, 6), to + 96);
    }
  }
}
