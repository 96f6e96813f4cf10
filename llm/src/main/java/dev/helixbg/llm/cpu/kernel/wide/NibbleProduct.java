package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadShorts;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.wide.FourBlocks.FourBlockKernel;
import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.Dequantize;
import java.lang.foreign.Arena;
import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Matrix × vector for Q4_0 and IQ4_NL rows in place, 512 bits, four blocks of 32 at a time in the
 * layout of {@link FourBlocks}: the nibbles look up their weights in a table of sixteen.
 *
 * @param levels {@link #LINEAR} or {@link #NON_LINEAR}
 */
public record NibbleProduct(long levels) implements FourBlockKernel {
  private static final int BLOCK_BYTES = 18;

  /** Sixteen floats: what the nibbles of Q4_0 stand for. */
  public static final long LINEAR = table(nibble -> nibble - 8);

  /** As {@link #LINEAR}, for the non-linear types. */
  public static final long NON_LINEAR = table(Dequantize::nonLinearLevel);

  private static final VectorShuffle<Short> NIBBLES = FourBlocks.nibbles(BLOCK_BYTES);
  private static final VectorShuffle<Short> FACTORS = FourBlocks.head(BLOCK_BYTES, 0, 0);

  private static long table(IntUnaryOperator level) {
    long table = Arena.global().allocate(64, 64).address();
    for (int nibble = 0; nibble < 16; nibble++) {
      MEMORY.set(Lanes.FLOAT, table + 4L * nibble, level.applyAsInt(nibble));
    }
    return table;
  }

  @Override
  public void multiply(
      long weights, int columns, long prepared, long y, int from, int to, int step, Unpacker own) {
    long rowBytes = columns / 32L * BLOCK_BYTES;
    IntVector table = loadInts(levels);
    for (int row = from; row < to; row += step) {
      long w = weights + row * rowBytes;
      FloatVector sum = FloatVector.zero(FLOATS);
      long x = prepared;
      for (int column = 0; column < columns; column += 128, w += 4 * BLOCK_BYTES, x += 512) {
        ShortVector first = loadShorts(w);
        ShortVector second = loadShorts(w + 8);
        IntVector z = first.rearrange(NIBBLES).blend(second, FourBlocks.LAST).reinterpretAsInts();
        FloatVector d =
            FloatVector.broadcast(FLOATS, FourBlocks.HALF_BIAS)
                .mul(
                    first
                        .rearrange(FACTORS)
                        .reinterpretAsInts()
                        .lanewise(ASHR, 3)
                        .and(FourBlocks.HALF_BITS)
                        .reinterpretAsFloats());
        FloatVector a = loadFloats(x).mul(z.selectFrom(table).reinterpretAsFloats());
        FloatVector b =
            loadFloats(x + 64).mul(z.lanewise(LSHR, 8).selectFrom(table).reinterpretAsFloats());
        FloatVector c =
            loadFloats(x + 128)
                .fma(z.lanewise(LSHR, 16).selectFrom(table).reinterpretAsFloats(), a);
        FloatVector e =
            loadFloats(x + 192)
                .fma(z.lanewise(LSHR, 24).selectFrom(table).reinterpretAsFloats(), b);
        FloatVector f =
            loadFloats(x + 256).fma(z.lanewise(LSHR, 4).selectFrom(table).reinterpretAsFloats(), c);
        FloatVector g =
            loadFloats(x + 320)
                .fma(z.lanewise(LSHR, 12).selectFrom(table).reinterpretAsFloats(), e);
        FloatVector h =
            loadFloats(x + 384)
                .fma(z.lanewise(LSHR, 20).selectFrom(table).reinterpretAsFloats(), f);
        FloatVector i =
            loadFloats(x + 448)
                .fma(z.lanewise(LSHR, 28).selectFrom(table).reinterpretAsFloats(), g);
        sum = d.fma(h.add(i), sum);
      }
      MEMORY.set(FLOAT, y + 4L * row, LaneSums.sum(sum));
    }
  }
}
