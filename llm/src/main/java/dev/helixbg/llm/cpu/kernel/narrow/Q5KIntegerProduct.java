package dev.helixbg.llm.cpu.kernel.narrow;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.ShortProducts;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.ShortVector;

/**
 * Matrix × vector for Q5_K rows in place, in 16-bit integers, 256 and 128 bits: scales and minima
 * as in {@link Q4KIntegerProduct}, bits put together as in {@link Q6KIntegerProduct}. Bit s of byte
 * j of a block's fifth bits is that of weight j of sub-block s; two passes take four of them each.
 */
public final class Q5KIntegerProduct implements RowKernel {
  private static final int BLOCK = 256;
  private static final int BLOCK_BYTES = 176;

  /** Two products are added in a lane, then two lanes: 4 · 31 · 255 is less than 2^15. */
  private static final int LIMIT = 255;

  /** Vectors of 32 bytes. */
  private static final int VECTORS = 32 / BYTES;

  @Override
  public int floats(int columns) {
    return QuantisedRow.floats(columns, Q4KIntegerProduct.GROUP);
  }

  @Override
  public void prepare(long x, int columns, long prepared) {
    QuantisedRow.quantise(x, columns, Q4KIntegerProduct.GROUP, LIMIT, prepared);
  }

  @Override
  public void multiply(
      long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / BLOCK * (long) BLOCK_BYTES;
    long scratch = own.room(columns);
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
      ShortVector h = loadShorts(bits);
      ShortVector a = loadShorts(z + 0);
      ShortVector b = loadShorts(z + 32);
      ShortVector five0 = a.and(nibbles).or(h.lanewise(LSHL, 4).and(fifths));
      even =
          ShortProducts.addBytes(
              five0, low, at + 0, loadFloats(factor + 0).rearrange(QuantisedRow.FIRST), even);
      ShortVector five1 = a.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHL, 3).and(fifths));
      odd =
          ShortProducts.addBytes(
              five1, low, at + 64, loadFloats(factor + 4).rearrange(QuantisedRow.FIRST), odd);
      ShortVector five2 = b.and(nibbles).or(h.lanewise(LSHL, 2).and(fifths));
      even =
          ShortProducts.addBytes(
              five2, low, at + 128, loadFloats(factor + 8).rearrange(QuantisedRow.FIRST), even);
      ShortVector five3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHL, 1).and(fifths));
      odd =
          ShortProducts.addBytes(
              five3, low, at + 192, loadFloats(factor + 12).rearrange(QuantisedRow.FIRST), odd);
    }
    return LaneSums.sum(even.add(odd));
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
      ShortVector h = loadShorts(bits);
      ShortVector a = loadShorts(z + 64);
      ShortVector b = loadShorts(z + 96);
      ShortVector five0 = a.and(nibbles).or(h.and(fifths));
      even =
          ShortProducts.addBytes(
              five0, low, at + 256, loadFloats(factor + 16).rearrange(QuantisedRow.FIRST), even);
      ShortVector five1 = a.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 1).and(fifths));
      odd =
          ShortProducts.addBytes(
              five1, low, at + 320, loadFloats(factor + 20).rearrange(QuantisedRow.FIRST), odd);
      ShortVector five2 = b.and(nibbles).or(h.lanewise(LSHR, 2).and(fifths));
      even =
          ShortProducts.addBytes(
              five2, low, at + 384, loadFloats(factor + 24).rearrange(QuantisedRow.FIRST), even);
      ShortVector five3 = b.lanewise(LSHR, 4).and(nibbles).or(h.lanewise(LSHR, 3).and(fifths));
      odd =
          ShortProducts.addBytes(
              five3, low, at + 448, loadFloats(factor + 28).rearrange(QuantisedRow.FIRST), odd);
    }
    return LaneSums.sum(even.add(odd));
  }
}
