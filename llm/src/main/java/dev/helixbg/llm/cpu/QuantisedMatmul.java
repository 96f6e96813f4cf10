package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.Q4KTileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.COLUMNS;
import static dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles.TOKENS;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.tile.Q4KPanel;
import dev.helixbg.llm.cpu.kernel.tile.Q4KTileProduct;
import dev.helixbg.llm.cpu.kernel.tile.QuantisedTiles;
import dev.helixbg.llm.cpu.kernel.tile.Tiles;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Many rows times a Q4_K matrix in 16-bit integers: twice as fast as in floats. */
final class QuantisedMatmul {
  /**
   * A panel meets so many tiles and so many of their columns before the next is unpacked. 3,072
   * columns of 1,024 tokens are six megabytes, and pass by in order: the third-level cache delivers
   * them as fast as they are used. Fewer tokens would unpack each panel more often, fewer columns
   * would write and add up more results.
   */
  private static final int TILES_AT_A_TIME = 1024 / TOKENS;

  private static final int BLOCKS_AT_A_TIME = 3072 / COLUMNS;

  private final Arena arena;
  private MemorySegment packed = MemorySegment.NULL;
  private HostActivations x;
  private int rows;

  QuantisedMatmul(Arena arena) {
    this.arena = arena;
  }

  /** Whether matrices of this type are multiplied so. */
  static boolean takes(TensorType type) {
    return type == TensorType.Q4_K;
  }

  /** Sets the rows that follow, 0 to {@code rows − 1} of {@code x}; returns their tiles. */
  int of(HostActivations x, int rows) {
    this.x = x;
    this.rows = rows;
    long bytes = QuantisedTiles.TILE_BYTES * tiles() * blocks();
    packed = Scratch.grown(arena, packed, bytes / Float.BYTES);
    return tiles();
  }

  /** Packs the rows of one tile. */
  void pack(Scratch mine, int tile) {
    for (int block = 0; block < blocks(); block++) {
      long from = x.address(tile * TOKENS) + 4L * COLUMNS * block;
      long scratch = mine.floats(QuantisedTiles.SCRATCH);
      QuantisedTiles.pack(from, 4L * x.stride(), tokens(tile), packedAt(tile, block), scratch);
    }
  }

  private int tiles() {
    return Math.ceilDiv(rows, TOKENS);
  }

  private int blocks() {
    return x.columns() / COLUMNS;
  }

  private int tokens(int tile) {
    return Math.min(TOKENS, rows - tile * TOKENS);
  }

  private long packedAt(int tile, int block) {
    return packed.address() + QuantisedTiles.TILE_BYTES * ((long) tiles() * block + tile);
  }

  /** Rows {@code from ≤ r < to} of W times what was packed. */
  void multiply(
      Scratch mine, HostMatrix w, HostActivations target, boolean adds, int from, int to) {
    for (int block = 0; block < blocks(); block += BLOCKS_AT_A_TIME) {
      for (int tile = 0; tile < tiles(); tile += TILES_AT_A_TIME) {
        int end = Math.min(tiles(), tile + TILES_AT_A_TIME);
        for (int row = from; row < to; row += ROWS) {
          multiply(
              mine, w, target, adds || block > 0, row, Math.min(ROWS, to - row), block, tile, end);
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
      int firstBlock,
      int firstTile,
      int endTile) {
    long sums = mine.floats((long) TILES_AT_A_TIME * ROWS * TOKENS);
    int endBlock = Math.min(blocks(), firstBlock + BLOCKS_AT_A_TIME);
    for (int block = firstBlock; block < endBlock; block++) {
      long first = w.address(row) + w.type().bytes((long) block * COLUMNS);
      Q4KPanel.unpack(first, w.rowBytes(), panelRows, mine.q4Panel);
      for (int tile = firstTile; tile < endTile; tile++) {
        Q4KTileProduct.multiply(
            mine.q4Panel,
            packedAt(tile, block),
            tokens(tile),
            block == firstBlock,
            sums + 4L * ROWS * TOKENS * (tile - firstTile),
            mine.products);
      }
    }
    long stride = 4L * target.stride();
    for (int tile = firstTile; tile < endTile; tile++) {
      long sum = sums + 4L * ROWS * TOKENS * (tile - firstTile);
      long at = target.address(tile * TOKENS) + 4L * row;
      Tiles.unpack(sum, TOKENS, panelRows, tokens(tile), adds, at, stride, mine.turned);
    }
  }
}
