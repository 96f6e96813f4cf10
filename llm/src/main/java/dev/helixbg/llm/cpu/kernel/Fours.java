package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;

import java.util.function.IntUnaryOperator;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Four blocks of 32 weights in one vector, 512 bits, and the order of the activations for them.
 *
 * <p>Wanted are the 16 bytes of nibbles of block b (weights 0 to 15 low, 16 to 31 high) in lanes 4b
 * to 4b + 3, as ints. A block has a head before them, of an even number of bytes. So two loads, of
 * the first and of the last 64 bytes of four blocks, hold them all, and permutations of shorts
 * bring them to their places.
 */
final class Fours {
  /** Weights of four blocks. */
  static final int WEIGHTS = 128;

  static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(512));

  /** Where the nibbles of block 3 go; in the second load they are there already. */
  static final VectorMask<Short> LAST = VectorMask.fromLong(SHORTS, 0xFF000000L);

  /**
   * A half float with its sign at bit 31 and the rest from bit 27 on is a float 2^−112 times as
   * large. Factors of blocks are taken to be finite: of others, no weight would be.
   */
  static final IntVector HALF_BITS = IntVector.broadcast(INTS, 0x8FFFE000);

  static final float HALF_BIAS = 0x1p112f;

  private Fours() {}

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

  private static VectorShuffle<Short> shorts(IntUnaryOperator from) {
    return VectorShuffle.fromOp(SHORTS, to -> from.applyAsInt(to) % 32);
  }

  /**
   * Per 128 numbers eight vectors: {@link Quads} of the first halves of four blocks, then of the
   * second halves.
   */
  static void prepare(long x, int columns, long prepared) {
    for (long at = 0; at < 4L * columns; at += 4 * WEIGHTS) {
      long from = x + at;
      long to = prepared + at;
      Quads.spread(from, from + 128, from + 256, from + 384, to);
      Quads.spread(from + 64, from + 192, from + 320, from + 448, to + 256);
    }
  }
}
