package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Multiplies many rows of activations with a matrix. The activations are packed into tiles, each
 * for some tokens. The matrix's rows are unpacked in groups, some columns at a time, and each group
 * is multiplied with all tiles. A group stays in the second-level cache, while a tile stays in the
 * first-level cache.
 */
abstract class TiledMatmul {
  // With fewer tokens, each row of a matrix would be unpacked more often. With fewer columns,
  // results would be written more often. More tokens or columns would not fit the third-level
  // cache.
  private static final int TOKENS_AT_A_TIME = 1024;
  private static final int COLUMNS_AT_A_TIME = 3072;

  private final Arena arena;
  private final long columnBytes;
  private final int step;
  private final int group;
  private MemorySegment packed = MemorySegment.NULL;
  private HostActivations x;
  private int rows;

  /**
   * @param columnBytes size of one column of a tile, in bytes
   * @param step number of columns that are packed or unpacked together
   * @param group number of matrix rows that are unpacked together
   */
  TiledMatmul(Arena arena, long columnBytes, int step, int group) {
    this.arena = arena;
    this.columnBytes = columnBytes;
    this.step = step;
    this.group = group;
  }

  /**
   * Packs {@code depth} columns of {@code tokens} rows of activations into a tile. The first row
   * begins at {@code from}; rows are {@code stride} bytes apart.
   */
  abstract void pack(ThreadScratch mine, long from, long stride, int tokens, int depth, long tile);

  /** Unpacks {@code depth} columns of {@code count} rows of a matrix, from column {@code k} on. */
  abstract void unpack(ThreadScratch mine, HostMatrix w, int row, int count, int k, int depth);

  /**
   * Multiplies the unpacked rows with a tile.
   *
   * @param first whether the sums start at 0; otherwise, the products are added to the sums. There
   *     is one sum for each pair of a row and a token.
   */
  abstract void multiply(
      ThreadScratch mine, int count, int depth, long tile, int tokens, boolean first, long sums);

  /** Sets the first {@code rows} rows of x as input, and returns the number of their tiles. */
  final int of(HostActivations x, int rows) {
    this.x = x;
    this.rows = rows;
    packed = HostMemory.grown(arena, packed, columnBytes * x.columns() * tiles());
    return tiles();
  }

  private int tiles() {
    return Math.ceilDiv(rows, TOKENS);
  }

  private int tokens(int tile) {
    return Math.min(TOKENS, rows - tile * TOKENS);
  }

  private int depth(int k) {
    return Math.min(step, x.columns() - k);
  }

  /** Returns the address of a tile's columns from k on. Tiles of the same columns are adjacent. */
  private long packedAt(int tile, int k) {
    return packed.address() + columnBytes * ((long) tiles() * k + (long) tile * depth(k));
  }

  final void pack(ThreadScratch mine, int tile) {
    for (int k = 0; k < x.columns(); k += step) {
      long from = x.address(tile * TOKENS) + 4L * k;
      pack(mine, from, 4L * x.stride(), tokens(tile), depth(k), packedAt(tile, k));
    }
  }

  final void multiply(
      ThreadScratch mine, HostMatrix w, HostActivations target, boolean adds, int from, int to) {
    int tilesAtATime = TOKENS_AT_A_TIME / TOKENS;
    long stride = 4L * target.stride();
    for (int k = 0; k < x.columns(); k += COLUMNS_AT_A_TIME) {
      for (int tile = 0; tile < tiles(); tile += tilesAtATime) {
        int end = Math.min(tiles(), tile + tilesAtATime);
        long sums = mine.floats(sumBytes() / Float.BYTES * (end - tile));
        for (int row = from; row < to; row += group) {
          int count = Math.min(group, to - row);
          multiply(mine, w, row, count, k, tile, end, sums);
          for (int t = tile; t < end; t++) {
            long sum = sums + sumBytes() * (t - tile);
            boolean more = adds || k > 0;
            long results = target.address(t * TOKENS) + 4L * row;
            TokenTiles.unpack(sum, count, tokens(t), more, results, stride, mine.turned);
          }
        }
      }
    }
  }

  private void multiply(
      ThreadScratch mine,
      HostMatrix w,
      int row,
      int count,
      int from,
      int tile,
      int end,
      long sums) {
    int to = Math.min(x.columns(), from + COLUMNS_AT_A_TIME);
    long skipped = w.type().bytes(from);
    Unpacker.readAhead(w.address(row) + skipped, w.rowBytes(), count, w.type().bytes(to) - skipped);
    for (int k = from; k < to; k += step) {
      unpack(mine, w, row, count, k, depth(k));
      for (int t = tile; t < end; t++) {
        long sum = sums + sumBytes() * (t - tile);
        multiply(mine, count, depth(k), packedAt(t, k), tokens(t), k == from, sum);
      }
    }
  }

  private long sumBytes() {
    return 4L * group * TOKENS;
  }
}
