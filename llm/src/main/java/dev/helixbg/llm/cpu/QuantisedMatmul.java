package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.Q4KTileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.TILE_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.TOKENS;

import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.tile.Q4KPanel;
import dev.helixbg.llm.cpu.kernel.tile.Q4KTileProduct;
import dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;

/** Many rows times a Q4_K matrix in 16-bit integers: below 512 bits faster than in floats. */
final class QuantisedMatmul extends TiledMatmul {
  /** Tiles are so small that of a few panels and a tile both stay in the first cache. */
  static final int GROUP = 2 * ROWS;

  QuantisedMatmul(Arena arena) {
    super(arena, TOKENS, TILE_BYTES / COLUMNS, COLUMNS, GROUP);
  }

  /** Whether matrices of this type are multiplied so. */
  static boolean takes(TensorType type) {
    return !Lanes.WIDE && type == TensorType.Q4_K;
  }

  @Override
  void pack(ThreadScratch mine, long source, long stride, int tokens, int depth, long tile) {
    QuantisedTiles.pack(source, stride, tokens, tile, mine.floats(QuantisedTiles.SCRATCH));
  }

  @Override
  void unpack(ThreadScratch mine, HostMatrix w, int row, int count, int k, int depth) {
    long skipped = w.type().bytes(k);
    for (int r = 0; r < count; r += ROWS) {
      long weights = w.address(row + r) + skipped;
      Q4KPanel.unpack(weights, w.rowBytes(), Math.min(ROWS, count - r), mine.q4Panel(r));
    }
  }

  @Override
  void multiply(
      ThreadScratch mine, int count, int depth, long tile, int tokens, boolean first, long sums) {
    for (int r = 0; r < count; r += ROWS) {
      long to = sums + 4L * TOKENS * r;
      Q4KTileProduct.multiply(mine.q4Panel(r), tile, tokens, first, to, mine.products);
    }
  }
}
