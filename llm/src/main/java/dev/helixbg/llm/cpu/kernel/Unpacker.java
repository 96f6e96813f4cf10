package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INT;
import static dev.helixbg.llm.cpu.lanes.Lanes.LONG;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts4;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Turns stored weights of any type into floats, in their order, equal bit for bit to {@link
 * Dequantize}.
 *
 * <p>Two steps with the first-level cache between them: the quanta of a block become signed bytes,
 * then bytes times scale plus minimum become floats. The second step is the same for all types and
 * has one scale and minimum per 16 weights.
 *
 * <p>Holds the memory between the steps, and {@link #room} for a row: one per thread.
 */
public final class Unpacker {
  private static final int LOW_NIBBLES = 0x0F0F0F0F;
  private static final int LOW_PAIRS = 0x03030303;
  private static final long LOW_BITS = 0x0101010101010101L;

  private static final ByteVector NON_LINEAR_LEVELS = nonLinearLevels();

  /** Signed quanta of up to 256 weights. */
  private final long levels;

  private final float[] scales = new float[16];
  private final float[] minima = new float[16];

  private final Arena arena;
  private MemorySegment room = MemorySegment.NULL;

  public Unpacker(Arena arena) {
    this.arena = arena;
    levels = arena.allocate(256, 64).address();
  }

  /** Address of at least {@code count} floats, of any content. */
  public long room(int count) {
    room = HostMemory.grown(arena, room, 4L * count);
    return room.address();
  }

  private static ByteVector nonLinearLevels() {
    byte[] table = new byte[16];
    for (int i = 0; i < table.length; i++) {
      table[i] = (byte) Dequantize.nonLinearLevel(i);
    }
    return ByteVector.fromArray(BYTES_16, table, 0);
  }

  /**
   * Writes {@code elements} weights, stored at address {@code source}, as floats to address {@code
   * target}.
   *
   * @param elements a multiple of the type's block
   */
  public void row(TensorType type, long source, int elements, long target) {
    switch (type) {
      case F32 -> Vectors.copy(source, elements, target);
      case F16 -> HalfFloats.unpackF16(source, elements, target);
      case BF16 -> HalfFloats.unpackBf16(source, elements, target);
      default -> blocks(type, source, elements, target);
    }
  }

  private void blocks(TensorType type, long source, int elements, long target) {
    int step = type.blockElements();
    long block = source;
    long to = target;
    for (int i = 0; i < elements; i += step, block += type.blockBytes(), to += step * 4L) {
      switch (type) {
        case Q8_0 -> {
          eachScale(half(block));
          scale(block + 2, 2, to);
        }
        case Q4_0 -> {
          eachScale(half(block));
          nibbles(block + 2, 8);
          scale(levels, 2, to);
        }
        case Q4_1 -> {
          eachScale(half(block));
          eachMinimum(half(block + 2));
          nibbles(block + 4, 0);
          scaleAndAdd(levels, 2, to);
        }
        case Q5_0 -> {
          eachScale(half(block));
          nibbles(block + 6, 16);
          addFifthBits(MEMORY.get(INT, block + 2));
          scale(levels, 2, to);
        }
        case Q5_1 -> {
          eachScale(half(block));
          eachMinimum(half(block + 2));
          nibbles(block + 8, 0);
          addFifthBits(MEMORY.get(INT, block + 4));
          scaleAndAdd(levels, 2, to);
        }
        case IQ4_NL -> {
          eachScale(half(block));
          nonLinear(block + 2, 0);
          scale(levels, 2, to);
        }
        case Q4_K -> {
          scalesAndMinima(block);
          nibblePairs(block + 16);
          scaleAndAdd(levels, 16, to);
        }
        case Q5_K -> {
          scalesAndMinima(block);
          nibblePairs(block + 48);
          fifthBits(block + 16);
          scaleAndAdd(levels, 16, to);
        }
        case Q6_K -> {
          float d = half(block + 208);
          for (int group = 0; group < 16; group++) {
            scales[group] = d * MEMORY.get(BYTE, block + 192 + group);
          }
          sixBits(block);
          scale(levels, 16, to);
        }
        case IQ4_XS -> {
          nonLinearScales(block);
          for (int sub = 0; sub < 8; sub++) {
            nonLinear(block + 8 + 16L * sub, 32L * sub);
          }
          scale(levels, 16, to);
        }
        case F32, F16, BF16 -> throw new IllegalArgumentException(type + " has no blocks");
      }
    }
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

  /** The scales and minima of Q4_K and Q5_K; see {@link SixBits}. */
  private void scalesAndMinima(long source) {
    float d = half(source);
    float m = half(source + 2);
    int first = MEMORY.get(INT, source + 4);
    int second = MEMORY.get(INT, source + 8);
    int third = MEMORY.get(INT, source + 12);
    int scalesLow = SixBits.low(first);
    int scalesHigh = SixBits.high(third, first);
    int minimaLow = SixBits.low(second);
    int minimaHigh = SixBits.high(third >>> 4, second);
    for (int i = 0; i < 4; i++) {
      setSub(i, d * (scalesLow >>> 8 * i & 63), m * (minimaLow >>> 8 * i & 63));
      setSub(4 + i, d * (scalesHigh >>> 8 * i & 63), m * (minimaHigh >>> 8 * i & 63));
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

  /** Sixteen bytes of nibbles to the 32 levels that they index, from level {@code to} on. */
  private void nonLinear(long source, long to) {
    IntVector z = loadInts4(source);
    z.and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .selectFrom(NON_LINEAR_LEVELS)
        .intoMemorySegment(MEMORY, levels + to, ORDER);
    z.lanewise(LSHR, 4)
        .and(LOW_NIBBLES)
        .reinterpretAsBytes()
        .selectFrom(NON_LINEAR_LEVELS)
        .intoMemorySegment(MEMORY, levels + to + 16, ORDER);
  }

  // ---- bytes to floats ------------------------------------------------------------------------

  private void scale(long bytes, int groups, long target) {
    for (int group = 0; group < groups; group++) {
      FloatVector factor = FloatVector.broadcast(FLOATS, scales[group]);
      long to = target + 64L * group;
      if (Lanes.COUNT == 8) {
        for (int half = 0; half < 2; half++) {
          factor
              .mul(
                  (FloatVector)
                      ByteVector.fromMemorySegment(
                              ByteVector.SPECIES_64, MEMORY, bytes + 16L * group + 8L * half, ORDER)
                          .convertShape(B2F, FLOATS, 0))
              .intoMemorySegment(MEMORY, to + 32L * half, ORDER);
        }
        continue;
      }
      ByteVector q = ByteVector.fromMemorySegment(BYTES_16, MEMORY, bytes + 16L * group, ORDER);
      factor.mul((FloatVector) q.convertShape(B2F, FLOATS, 0)).intoMemorySegment(MEMORY, to, ORDER);
      if (Lanes.COUNT == 4) {
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 1))
            .intoMemorySegment(MEMORY, to + 16, ORDER);
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 2))
            .intoMemorySegment(MEMORY, to + 32, ORDER);
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 3))
            .intoMemorySegment(MEMORY, to + 48, ORDER);
      }
    }
  }

  private void scaleAndAdd(long bytes, int groups, long target) {
    scale(bytes, groups, target);
    for (int group = 0; group < groups; group++) {
      float minimum = minima[group];
      for (int lane = 0; lane < 16; lane += Lanes.COUNT) {
        long to = target + 64L * group + 4L * lane;
        loadFloats(to).add(minimum).intoMemorySegment(MEMORY, to, ORDER);
      }
    }
  }

  private static float half(long source) {
    return Float.float16ToFloat(MEMORY.get(SHORT, source));
  }
}
