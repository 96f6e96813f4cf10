package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.TileProduct;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory in which one member of the team works: small enough to stay in its caches. */
final class Scratch {
  private final Arena arena;
  final Unpacker unpacker;

  /** A panel of unpacked rows. */
  final MemorySegment panel;

  /** What a panel times a tile of tokens gives. */
  final MemorySegment tile;

  /** Sums of such tiles. */
  final MemorySegment sums;

  /** One factor per token of a tile. */
  final MemorySegment factors;

  private MemorySegment floats = MemorySegment.NULL;
  private MemorySegment scores = MemorySegment.NULL;
  private MemorySegment values = MemorySegment.NULL;

  Scratch(Arena arena) {
    this.arena = arena;
    unpacker = new Unpacker(arena);
    panel = arena.allocate(4L * TileProduct.ROWS * TileProduct.STRIDE, 64);
    tile = arena.allocate(4L * TileProduct.ROWS * TileProduct.TOKENS, 64);
    sums = arena.allocate(tile.byteSize(), 64);
    factors = arena.allocate(4L * TileProduct.TOKENS, 64);
  }

  /** At least {@code count} floats, of any content. */
  MemorySegment floats(long count) {
    return floats = grown(floats, count);
  }

  /** As {@link #floats}, for scores of attention. */
  MemorySegment scores(long count) {
    return scores = grown(scores, count);
  }

  /** As {@link #floats}, for values of attention. */
  MemorySegment values(long count) {
    return values = grown(values, count);
  }

  private MemorySegment grown(MemorySegment held, long count) {
    return grown(arena, held, count);
  }

  /**
   * {@code held} if it has room for {@code count} floats, else twice as much as it had or what is
   * wanted.
   */
  static MemorySegment grown(Arena arena, MemorySegment held, long count) {
    long bytes = Math.multiplyExact(count, 4L);
    return held.byteSize() >= bytes
        ? held
        : arena.allocate(Math.max(bytes, 2 * held.byteSize()), 64);
  }
}
