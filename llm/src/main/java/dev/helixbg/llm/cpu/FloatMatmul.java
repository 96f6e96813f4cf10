package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.ROOM;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;

import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import java.lang.foreign.Arena;

/** Computes matrix products in floats, for matrices with weights of any type. */
final class FloatMatmul extends TiledMatmul {
  static final int GROUP = 2 * ROOM;

  private static final int COLUMNS = 512;

  FloatMatmul(Arena arena) {
    super(arena, 4L * TOKENS, COLUMNS, GROUP);
  }

  @Override
  void pack(ThreadScratch mine, long source, long stride, int tokens, int depth, long tile) {
    TokenTiles.pack(source, stride, tokens, depth, tile, mine.turned);
  }

  @Override
  void unpack(ThreadScratch mine, HostMatrix w, int row, int count, int k, int depth) {
    long skipped = w.type().bytes(k);
    for (int r = 0; r < count; r++) {
      long weights = w.address(row + r) + skipped;
      mine.unpacker.row(w.type(), weights, depth, mine.panel + 4L * STRIDE * r);
    }
  }

  @Override
  void multiply(
      ThreadScratch mine, int count, int depth, long tile, int tokens, boolean first, long sums) {
    TileProduct.multiply(mine.panel, count, depth, tile, tokens, first, sums);
  }
}
