package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Scratch memory of one thread, small enough to stay in the processor's caches. The {@code long}
 * fields are addresses, because kernels take addresses. The memory belongs to the backend's arena.
 */
final class ThreadScratch {
  private final Arena arena;
  final Unpacker unpacker;
  final ByteRows byteRows;
  final RowStreams streams = new RowStreams();

  final long panel;

  final long sums;

  final long turned;

  private MemorySegment floats = MemorySegment.NULL;
  private MemorySegment scores = MemorySegment.NULL;
  private float[] inverses = {};

  ThreadScratch(Arena arena) {
    this.arena = arena;
    unpacker = new Unpacker(arena);
    byteRows = new ByteRows(arena, ByteMatmul.GROUP, ByteProduct.PAIRS);
    panel = allocate(FloatMatmul.GROUP * TileProduct.STRIDE);
    sums = allocate(TileProduct.ROOM * TileProduct.TOKENS);
    turned = allocate(TokenTiles.SCRATCH / Float.BYTES);
  }

  long floats(long count) {
    floats = HostMemory.grown(arena, floats, 4 * count);
    return floats.address();
  }

  /**
   * Returns the address of at least {@code count} floats, for scores of attention or as scratch
   * memory of row kernels. They are separate from the memory of {@link #floats(long)}.
   */
  long scores(long count) {
    scores = HostMemory.grown(arena, scores, 4 * count);
    return scores.address();
  }

  float[] inverses(int count) {
    if (inverses.length < count) {
      inverses = new float[count];
    }
    return inverses;
  }

  private long allocate(long count) {
    return arena.allocate(4 * count, 64).address();
  }
}
