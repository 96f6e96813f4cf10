package dev.helixbg.llm.cpu.kernel.wide;

import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.lanes.Lanes;
import java.lang.foreign.Arena;
import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/**
 * Four blocks of 32 weights in one vector, 512 bits, and the order of the activations for them.
 *
 * <p>Wanted are the 16 bytes of nibbles of block b (weights 0 to 15 low, 16 to 31 high) in lanes 4b
 * to 4b + 3, as ints. A block has a head before them, of an even number of bytes. So two loads, of
 * the first and of the last 64 bytes of four blocks, hold them all, and permutations of shorts
 * bring them to their places.
 */
final class FourBlocks {
  /** Weights of four blocks. */
  static final int WEIGHTS = 128;

  /** Where the nibbles of block 3 go; in the second load they are there already. */
  static final VectorMask<Short> LAST = VectorMask.fromLong(SHORTS, 0xFF000000L);

  /** Blocks 2 and 3, where the first load may not reach. */
  static final VectorMask<Short> LATER = VectorMask.fromLong(SHORTS, 0xFFFF0000L);

  /**
   * Where two loads have what the types with minima or fifth bits need, as three vectors of the
   * places of shorts: the nibbles, the fifth bits, and the minimum below the factor. Blocks 0 and 1
   * are in the first load, 2 and 3 in the second.
   */
  static final long Q4_1 = places(20, 4, 0, 0, 2);

  static final long Q5_0 = places(22, 6, 2, 4, 0);
  static final long Q5_1 = places(24, 8, 4, 6, 2);

  /**
   * A half float with its sign at bit 31 and the rest from bit 27 on is a float 2^−112 times as
   * large. Factors of blocks are taken to be finite: of others, no weight would be.
   */
  static final IntVector HALF_BITS = IntVector.broadcast(INTS, 0x8FFFE000);

  static final float HALF_BIAS = 0x1p112f;

  private FourBlocks() {}

  /** The nibbles of blocks 0 to 2, from the first load. */
  static VectorShuffle<Short> nibbles(int blockBytes) {
    return shorts(to -> (blockBytes * (to / 8 + 1) - 16) / 2 + to % 8);
  }

  /**
   * Two numbers of 16 bits from the head of each block to all lanes of the block: those at byte
   * {@code low} of the head to the lower halves, those at byte {@code high} to the upper ones. From
   * the first load.
   */
  static VectorShuffle<Short> head(int blockBytes, int low, int high) {
    return shorts(to -> (blockBytes * (to / 8) + (to % 2 == 0 ? low : high)) / 2);
  }

  /** The head's bytes: its size, those of the fifth bits, that of the minimum; the factor is 0. */
  private static long places(int blockBytes, int head, int low, int high, int minimum) {
    long places = Arena.global().allocate(192, 64).address();
    for (int to = 0; to < 32; to++) {
      int block = to / 8;
      // The second load ends with block 3.
      int from = blockBytes * block - (block < 2 ? 0 : 4 * blockBytes - 64);
      place(places, to, from + head + to % 8 * 2);
      place(places + 64, to, from + (to % 2 == 0 ? low : high));
      place(places + 128, to, from + (to % 2 == 0 ? minimum : 0));
    }
    return places;
  }

  private static void place(long places, int lane, int bytes) {
    MEMORY.set(Lanes.SHORT, places + 2L * lane, (short) (bytes / 2));
  }

  private static VectorShuffle<Short> shorts(IntUnaryOperator sourceOf) {
    return VectorShuffle.fromOp(SHORTS, to -> sourceOf.applyAsInt(to) % 32);
  }

  /**
   * Per 128 numbers eight vectors: {@link DeinterleavedOrder} of the first halves of four blocks,
   * then of the second halves. Then, per 128 numbers, the sum of those vectors, lane by lane.
   */
  static void prepare(long x, int columns, long prepared) {
    for (long at = 0; at < 4L * columns; at += 4 * WEIGHTS) {
      long from = x + at;
      long to = prepared + at;
      DeinterleavedOrder.byFour(from, from + 128, from + 256, from + 384, to);
      DeinterleavedOrder.byFour(from + 64, from + 192, from + 320, from + 448, to + 256);
      FloatVector sum = FloatVector.zero(FLOATS);
      for (long vector = to; vector < to + 512; vector += 64) {
        sum = loadFloats(vector).add(sum);
      }
      sum.intoMemorySegment(MEMORY, prepared + 4L * columns + at / 8, ORDER);
    }
  }

  /** A kernel that takes four blocks at a time, as {@link FourBlocks} orders the activations. */
  interface FourBlockKernel extends RowKernel {
    @Override
    default int multiple() {
      return FourBlocks.WEIGHTS;
    }

    @Override
    default int floats(int columns) {
      return columns + columns / 8;
    }

    @Override
    default void prepare(long x, int columns, long prepared) {
      FourBlocks.prepare(x, columns, prepared);
    }
  }
}
