package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.lanes.Lanes.INT;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;

/**
 * The first step of unpacking weights of any quantised type: the quanta of a block become signed
 * bytes, in their order, with a scale and a minimum per 16 weights. A weight is byte · scale +
 * minimum, equal bit for bit to {@link Dequantize}.
 *
 * <p>Holds the memory for it: one per thread.
 */
final class BlockQuanta {
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int LOW_PAIRS = 0x03030303;
  private static final long LOW_BITS = 0x0101010101010101L;

  private static final ByteVector NON_LINEAR_LEVELS = nonLinearLevels();

  /** Signed quanta of up to 256 weights. */
  private final long levels;

  final float[] scales = new float[16];

  /** Of types that have minima. */
  final float[] minima = new float[16];

  BlockQuanta(Arena arena) {
    levels = arena.allocate(256, 64).address();
  }

  private static ByteVector nonLinearLevels() {
    byte[] table = new byte[16];
    for (int i = 0; i < table.length; i++) {
      table[i] = (byte) Dequantize.nonLinearLevel(i);
    }
    return ByteVector.fromArray(BYTES_16, table, 0);
  }

  static boolean hasMinima(TensorType type) {
    return switch (type) {
      case Q4_1, Q5_1, Q4_K, Q5_K -> true;
      default -> false;
    };
  }

  /** Where the bytes of a stored block are. */
  long of(TensorType type, long block) {
    switch (type) {
      case Q8_0 -> {
        eachScale(half(block));
        return block + 2;
      }
      case Q4_0 -> {
        eachScale(half(block));
        nibbles(block + 2, 8);
      }
      case Q4_1 -> {
        eachScale(half(block));
        eachMinimum(half(block + 2));
        nibbles(block + 4, 0);
      }
      case Q5_0 -> {
        eachScale(half(block));
        nibbles(block + 6, 16);
        addFifthBits(MEMORY.get(INT, block + 2));
      }
      case Q5_1 -> {
        eachScale(half(block));
        eachMinimum(half(block + 2));
        nibbles(block + 8, 0);
        addFifthBits(MEMORY.get(INT, block + 4));
      }
      case IQ4_NL -> {
        eachScale(half(block));
        nonLinear(block + 2, 0);
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
      case IQ4_XS -> {
        nonLinearScales(block);
        for (int sub = 0; sub < 8; sub++) {
          nonLinear(block + 8 + 16L * sub, 32L * sub);
        }
      }
      case F32, F16, BF16 -> throw new IllegalArgumentException(type + " has no blocks");
    }
    return levels;
  }

  // ---- scales ---------------------------------------------------------------------------------

  private void eachScale(float d) {
    scales[0] = d;
    scales[1] = d;
  }

  private void eachMinimum(float m) {
    minima[0] = m;
    minima[1] = m;
  }

  /** The scales and minima of Q4_K and Q5_K; see {@link SixBitScales}. */
  private void scalesAndMinima(long source) {
    float d = half(source);
    float m = half(source + 2);
    long scaleBits = SixBitScales.scales(source);
    long minimumBits = SixBitScales.minima(source);
    for (int i = 0; i < 8; i++) {
      setSub(i, d * (int) (scaleBits >>> 8 * i & 63), m * (int) (minimumBits >>> 8 * i & 63));
    }
  }

  private void setSub(int sub, float scale, float minimum) {
    scales[2 * sub] = scale;
    scales[2 * sub + 1] = scale;
    minima[2 * sub] = -minimum;
    minima[2 * sub + 1] = -minimum;
  }

  private void nonLinearScales(long source) {
    float d = half(source);
    int high = MEMORY.get(SHORT, source + 2);
    int low = MEMORY.get(INT, source + 4);
    for (int sub = 0; sub < 8; sub++) {
      float scale = d * ((low >>> 4 * sub & 15 | (high >> 2 * sub & 3) << 4) - 32);
      scales[2 * sub] = scale;
      scales[2 * sub + 1] = scale;
    }
  }

  // ---- quanta to bytes ------------------------------------------------------------------------

  /** Sixteen bytes: low nibbles to levels 0–15, high to 16–31, less {@code zero}. */
  private void nibbles(long source, int zero) {
    IntVector z = loadInts4(source);
    z.and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .sub((byte) zero)
        .intoMemorySegment(MEMORY, levels, ORDER);
    z.lanewise(LSHR, 4)
        .and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .sub((byte) zero)
        .intoMemorySegment(MEMORY, levels + 16, ORDER);
  }

  private void addFifthBits(int bits) {
    for (int i = 0; i < 32; i++) {
      MEMORY.set(BYTE, levels + i, (byte) (MEMORY.get(BYTE, levels + i) + (bits >>> i & 1) * 16));
    }
  }

  /** Four times 32 bytes: low nibbles to 32 levels, high to the next 32. */
  private void nibblePairs(long source) {
    for (int i = 0; i < 8; i++) {
      IntVector z = loadInts4(source + 16L * i);
      long to = i / 2 * 64L + i % 2 * 16L;
      z.and(LOW_NIBBLES).intoMemorySegment(MEMORY, levels + to, ORDER);
      z.lanewise(LSHR, 4).and(LOW_NIBBLES).intoMemorySegment(MEMORY, levels + to + 32, ORDER);
    }
  }

  /**
   * Bit {@code sub} of byte j is the fifth bit of weight j of a sub-block.
   *
   * <p>Eight bytes of a long at a time: C2 did not compile a vector's shift by a number that is not
   * constant in one of some five processes, for good, and it left garbage.
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
      long to = i / 2 * 128L + i % 2 * 16L;
      a.and(LOW_NIBBLES)
          .or(high.and(LOW_PAIRS).lanewise(LSHL, 4))
          .reinterpretAsBytes()
          .sub((byte) 32)
          .intoMemorySegment(MEMORY, levels + to, ORDER);
      b.and(LOW_NIBBLES)
          .or(high.lanewise(LSHR, 2).and(LOW_PAIRS).lanewise(LSHL, 4))
          .reinterpretAsBytes()
          .sub((byte) 32)
          .intoMemorySegment(MEMORY, levels + to + 32, ORDER);
      a.lanewise(LSHR, 4)
          .and(LOW_NIBBLES)
          .or(high.lanewise(LSHR, 4).and(LOW_PAIRS).lanewise(LSHL, 4))
          .reinterpretAsBytes()
          .sub((byte) 32)
          .intoMemorySegment(MEMORY, levels + to + 64, ORDER);
      b.lanewise(LSHR, 4)
          .and(LOW_NIBBLES)
          .or(high.lanewise(LSHR, 6).and(LOW_PAIRS).lanewise(LSHL, 4))
          .reinterpretAsBytes()
          .sub((byte) 32)
          .intoMemorySegment(MEMORY, levels + to + 96, ORDER);
    }
  }

  /** Sixteen bytes of nibbles to the 32 levels that they index, from level {@code target} on. */
  private void nonLinear(long source, long target) {
    IntVector z = loadInts4(source);
    z.and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .selectFrom(NON_LINEAR_LEVELS)
        .intoMemorySegment(MEMORY, levels + target, ORDER);
    z.lanewise(LSHR, 4)
        .and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .selectFrom(NON_LINEAR_LEVELS)
        .intoMemorySegment(MEMORY, levels + target + 16, ORDER);
  }

  private static float half(long source) {
    return Float.float16ToFloat(MEMORY.get(SHORT, source));
  }
}
