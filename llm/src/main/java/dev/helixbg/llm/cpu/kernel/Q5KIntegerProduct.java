package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORTS;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × vector for Q5_K rows in place, in 16-bit integers, 256 and 128 bits: scales and minima
 * as in {@link Q4KIntegerProduct}, bits put together as in {@link Q6KIntegerProduct}. Bit s of byte
 * j of a block's fifth bits is that of weight j of sub-block s; two passes take four of them each.
 */
final class Q5KIntegerProduct {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 176;

  /** Two products are added in a lane, then two lanes: 4 · 31 · 255 is less than 2^15. */
  static final int LIMIT = 255;

  /** Vectors of 32 bytes. */
  private static final int VECTORS = 32 / BYTES;

  private Q5KIntegerProduct() {}

  /** As {@link Q4KIntegerProduct#multiply}. */
  static void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, long scratch) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      float offset = Q4KIntegerProduct.factors(w, BLOCK_BYTES, 8, columns, x, scratch);
      float products = lower(w, columns, x, scratch) + upper(w, columns, x, scratch);
      MEMORY.set(FLOAT, y + 4L * row, offset + products);
    }
  }

  /** Sub-blocks 0 to 3 of each block. */
  private static float lower(long row, int columns, long x, long scratch) {
    ShortVector nibbles = ShortVector.broadcast(SHORTS, (short) 0x0F0F);
    ShortVector fifths = ShortVector.broadcast(SHORTS, (short) 0x1010);
    ShortVector low = ShortVector.broadcast(SHORTS, (short) 31);
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = even;
    int count = columns / BLOCK * VECTORS;
    for (int i = 0; i < count; i++) {
      int block = i / VECTORS;
      long bits = row + 16 + block * (long) BLOCK_BYTES + i % VECTORS * BYTES;
      long z = bits + 32;
      long at = x + block * 512L + i % VECTORS * 2L * BYTES;
      long factor = scratch + block * 32L;
      ShortVector h = ShortVector.fromMemorySegment(SHORTS, MEMORY, bits, ORDER);
      ShortVector a = ShortVector.fromMemorySegment(SHORTS, MEMORY, z + 0, ORDER);
      ShortVector b = ShortVector.fromMemorySegment(SHORTS, MEMORY, z + 32, ORDER);
      ShortVector five0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(fifths));
      IntVector p0 =
          five0
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 0, ORDER))
              .add(
                  five0
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 0 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 0, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p0.add(p0.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector five1 = a.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHL, 3).and(fifths));
      IntVector p1 =
          five1
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64, ORDER))
              .add(
                  five1
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 64 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 4, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p1.add(p1.lanewise(LSHL, 16)).convert(I2F, 0), odd);
      ShortVector five2 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(fifths));
      IntVector p2 =
          five2
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 128, ORDER))
              .add(
                  five2
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 128 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 8, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p2.add(p2.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector five3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHL, 1).and(fifths));
      IntVector p3 =
          five3
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 192, ORDER))
              .add(
                  five3
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 192 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 12, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p3.add(p3.lanewise(LSHL, 16)).convert(I2F, 0), odd);
    }
    FloatVector lanes = even.add(odd);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return lanes.lane(0) + lanes.lane(1);
  }

  /** Sub-blocks 4 to 7. */
  private static float upper(long row, int columns, long x, long scratch) {
    ShortVector nibbles = ShortVector.broadcast(SHORTS, (short) 0x0F0F);
    ShortVector fifths = ShortVector.broadcast(SHORTS, (short) 0x1010);
    ShortVector low = ShortVector.broadcast(SHORTS, (short) 31);
    FloatVector even = FloatVector.zero(FLOATS);
    FloatVector odd = even;
    int count = columns / BLOCK * VECTORS;
    for (int i = 0; i < count; i++) {
      int block = i / VECTORS;
      long bits = row + 16 + block * (long) BLOCK_BYTES + i % VECTORS * BYTES;
      long z = bits + 32;
      long at = x + block * 512L + i % VECTORS * 2L * BYTES;
      long factor = scratch + block * 32L;
      ShortVector h = ShortVector.fromMemorySegment(SHORTS, MEMORY, bits, ORDER);
      ShortVector a = ShortVector.fromMemorySegment(SHORTS, MEMORY, z + 64, ORDER);
      ShortVector b = ShortVector.fromMemorySegment(SHORTS, MEMORY, z + 96, ORDER);
      ShortVector five0 = a.and(nibbles).or(h.and(fifths));
      IntVector p0 =
          five0
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 256, ORDER))
              .add(
                  five0
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 256 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 16, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p0.add(p0.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector five1 = a.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 1).and(fifths));
      IntVector p1 =
          five1
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 320, ORDER))
              .add(
                  five1
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 320 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 20, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p1.add(p1.lanewise(LSHL, 16)).convert(I2F, 0), odd);
      ShortVector five2 = b.and(nibbles).or(h.lanewise(LSHR, 2).and(fifths));
      IntVector p2 =
          five2
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 384, ORDER))
              .add(
                  five2
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 384 + BYTES, ORDER)))
              .reinterpretAsInts();
      even =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 24, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p2.add(p2.lanewise(LSHL, 16)).convert(I2F, 0), even);
      ShortVector five3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 3).and(fifths));
      IntVector p3 =
          five3
              .and(low)
              .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 448, ORDER))
              .add(
                  five3
                      .lanewise(LSHR, 8)
                      .mul(ShortVector.fromMemorySegment(SHORTS, MEMORY, at + 448 + BYTES, ORDER)))
              .reinterpretAsInts();
      odd =
          FloatVector.fromMemorySegment(FLOATS, MEMORY, factor + 28, ORDER)
              .rearrange(QuantisedRow.FIRST)
              .fma((FloatVector) p3.add(p3.lanewise(LSHL, 16)).convert(I2F, 0), odd);
    }
    FloatVector lanes = even.add(odd);
    if (COUNT == 8) {
      lanes = lanes.add(lanes.rearrange(LaneSums.BY_4));
    }
    lanes = lanes.add(lanes.rearrange(LaneSums.BY_2));
    return lanes.lane(0) + lanes.lane(1);
  }
}
