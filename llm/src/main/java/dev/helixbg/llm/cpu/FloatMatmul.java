package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.DEPTH;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.Tiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Many rows times a matrix of any type, in floats: panels of unpacked weights over tiles. */
final class FloatMatmul {
  /**
   * Tiles, of 256 tokens, whose inputs, {@link TileProduct#DEPTH} of them, stay in the second-level
   * cache while panels pass over them.
   */
  private static final int TILES_IN_CACHE = 256 / TOKENS;

  private final Arena arena;
  private MemorySegment packed = MemorySegment.NULL;
  private HostActivations x;
  private int rows;

  FloatMatmul(Arena arena) {
    this.arena = arena;
  }

  /** Sets the rows that follow, 0 to {@code rows − 1} of {@code x}; returns their tiles. */
  int of(HostActivations x, int rows) {
    this.x = x;
    this.rows = rows;
    packed = Scratch.grown(arena, packed, (long) tiles() * TOKENS * x.columns());
    return tiles();
  }

  /** Packs the rows of one tile. */
  void pack(Scratch mine, int tile) {
    for (int k = 0; k < x.columns(); k += DEPTH) {
      int depth = Math.min(DEPTH, x.columns() - k);
      long from = x.address(tile * TOKENS) + 4L * k;
      long to = packedAt(tile, k, depth);
      Tiles.pack(from, 4L * x.stride(), tokens(tile), depth, to, mine.turned);
    }
  }

  private int tiles() {
    return Math.ceilDiv(rows, TOKENS);
  }

  private int tokens(int tile) {
    return Math.min(TOKENS, rows - tile * TOKENS);
  }

  /**
   * Address of a tile's inputs from column {@code k} on, {@code depth} of them: tiles of the same
   * columns lie together.
   */
  private long packedAt(int tile, int k, int depth) {
    return packed.address() + 4L * TOKENS * ((long) tiles() * k + (long) tile * depth);
  }

  /** Rows {@code from ≤ r < to} of W times what was packed. */
  void multiply(
      Scratch mine, HostMatrix w, HostActivations target, boolean adds, int from, int to) {
    for (int k = 0; k < x.columns(); k += DEPTH) {
      for (int tile = 0; tile < tiles(); tile += TILES_IN_CACHE) {
        int end = Math.min(tiles(), tile + TILES_IN_CACHE);
        for (int row = from; row < to; row += ROWS) {
          multiply(mine, w, target, adds || k > 0, row, Math.min(ROWS, to - row), k, tile, end);
        }
      }
    }
  }

  private void multiply(
      Scratch mine,
      HostMatrix w,
      HostActivations target,
      boolean adds,
      int row,
      int panelRows,
      int k,
      int firstTile,
      int endTile) {
    int depth = Math.min(DEPTH, x.columns() - k);
    long skipped = w.type().bytes(k);
    for (int r = 0; r < panelRows; r++) {
      mine.unpacker.row(
          w.type(), w.address(row + r) + skipped, depth, mine.panel + 4L * STRIDE * r);
    }
    for (int tile = firstTile; tile < endTile; tile++) {
      int tokens = tokens(tile);
      TileProduct.multiply(mine.panel, depth, packedAt(tile, k, depth), tokens, mine.tile);
      long at = target.address(tile * TOKENS) + 4L * row;
      long stride = 4L * target.stride();
      Tiles.unpack(mine.tile, TOKENS, panelRows, tokens, adds, at, stride, mine.turned);
    }
  }
}
