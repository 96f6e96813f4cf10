package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.SUB_BYTES;
import static dev.helixbg.llm.cpu.kernel.tile.ByteTiles.TOKENS;

import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.tile.ByteTiles;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;

/** Computes matrix products in bytes, on processors with instructions that multiply bytes. */
final class ByteMatmul extends TiledMatmul {
  static final int GROUP = 4 * ByteProduct.ROWS;

  ByteMatmul(Arena arena) {
    super(arena, SUB_BYTES / SUB, COLUMNS, GROUP);
  }

  static boolean takes(TensorType type) {
    return ByteProduct.AVAILABLE && ByteRows.takes(type, ByteProduct.PAIRS);
  }

  @Override
  void pack(ThreadScratch mine, long source, long stride, int tokens, int depth, long tile) {
    long scratch = mine.floats(ByteTiles.SCRATCH);
    ByteTiles.pack(source, stride, tokens, depth, tile, ByteProduct.PAIRS, scratch);
  }

  @Override
  void unpack(ThreadScratch mine, HostMatrix w, int row, int count, int k, int depth) {
    long skipped = w.type().bytes(k);
    for (int r = 0; r < count; r++) {
      mine.byteRows.unpack(w.type(), w.address(row + r) + skipped, depth, r);
    }
  }

  @Override
  void multiply(
      ThreadScratch mine, int count, int depth, long tile, int tokens, boolean first, long sums) {
    if (first) {
      VectorOps.clear(sums, TOKENS * GROUP);
    }
    ByteRows rows = mine.byteRows;
    ByteProduct.multiply(rows.address(), count, rows.halves(), depth, tile, tokens, sums);
  }
}
