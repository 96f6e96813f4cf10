package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.HalfAttention;
import dev.helixbg.llm.cpu.kernel.HalfFloats;
import dev.helixbg.llm.cpu.kernel.Q4KPanel;
import dev.helixbg.llm.cpu.kernel.Q4KTileProduct;
import dev.helixbg.llm.cpu.kernel.QuantisedTiles;
import dev.helixbg.llm.cpu.kernel.RowProduct;
import dev.helixbg.llm.cpu.kernel.Softmax;
import dev.helixbg.llm.cpu.kernel.TileProduct;
import dev.helixbg.llm.cpu.kernel.Tiles;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;

/**
 * Has the large kernels compiled by calls as small as they can be.
 *
 * <p>Until a kernel is compiled, each operation on a vector takes microseconds, and a loop of a
 * hundred rounds is compiled for itself, from its middle, to be thrown away at once. A tiny model
 * is too large for that: its matrices are 256 columns wide.
 */
public final class KernelWarmUp {
  /** Interpreted once or twice, then with counters; compiled for good well before the last. */
  private static final int CALLS = 8;

  /** Two blocks of every type, so that loops are seen to go round. */
  private static final int COLUMNS = 512;

  private static final int ROWS = 4;

  /** The usual size. */
  private static final int HEAD = 128;

  private KernelWarmUp() {}

  /** What multiplies single rows of activations with matrices of a type. */
  public static void rows(TensorType type) {
    try (Arena arena = Arena.ofConfined()) {
      Scratch scratch = new Scratch(arena);
      RowProduct.Order order = RowProduct.order(type, COLUMNS);
      long weights = arena.allocate(ROWS * type.bytes(COLUMNS), 64).address();
      long x = floats(arena, COLUMNS);
      long prepared = floats(arena, order.floats(COLUMNS));
      long y = floats(arena, ROWS);
      long row = floats(arena, COLUMNS);
      for (int i = 0; i < CALLS; i++) {
        order.prepare(x, COLUMNS, prepared);
        RowProduct.multiply(type, weights, COLUMNS, prepared, y, 0, ROWS, scratch.unpacker, row);
        HalfAttention.scores(x, x, prepared, ROWS / 2, HEAD, y, y);
        HalfAttention.addWeighted(y, y, prepared, ROWS / 2, HEAD, row, row);
        Softmax.exponentials(row, HEAD, Softmax.max(row, HEAD), 1, HEAD);
      }
    }
  }

  /** What multiplies tiles of many rows. */
  public static void tiles(TensorType type) {
    try (Arena arena = Arena.ofConfined()) {
      Scratch scratch = new Scratch(arena);
      if (QuantisedPass.takes(type)) {
        quantised(arena, scratch, type);
      }
      floats(arena, scratch, type);
    }
  }

  private static void quantised(Arena arena, Scratch scratch, TensorType type) {
    long weights = arena.allocate(ROWS * type.bytes(COLUMNS), 64).address();
    long rows = floats(arena, 3 * COLUMNS);
    long tile = arena.allocate(QuantisedTiles.BYTES, 64).address();
    long sums = floats(arena, Q4KTileProduct.ROWS * QuantisedTiles.TOKENS);
    long pairs = scratch.floats(QuantisedTiles.SCRATCH);
    for (int i = 0; i < CALLS; i++) {
      Q4KPanel.unpack(weights, type.bytes(COLUMNS), ROWS, scratch.q4Panel);
      QuantisedTiles.pack(rows, 4L * COLUMNS, 3, tile, pairs);
      Q4KTileProduct.multiply(scratch.q4Panel, tile, 64, i % 2 == 0, sums, scratch.products);
      Q4KTileProduct.multiply(scratch.q4Panel, tile, 32, i % 2 == 0, sums, scratch.products);
    }
  }

  private static void floats(Arena arena, Scratch scratch, TensorType type) {
    int depth = 16;
    long weights = arena.allocate(type.bytes(COLUMNS), 64).address();
    long rows = floats(arena, COLUMNS);
    long x = floats(arena, depth * TileProduct.TOKENS);
    for (int i = 0; i < CALLS; i++) {
      scratch.unpacker.row(type, weights, COLUMNS, scratch.panel);
      HalfFloats.packF16(rows, depth, x);
      HalfFloats.unpackF16(x, depth, rows);
      // Eight rows of vectors and one number by number.
      Tiles.pack(rows, 4L * depth, TileProduct.ROWS + 1, depth, x, scratch.turned);
      TileProduct.multiply(scratch.panel, depth, x, TileProduct.TOKENS, scratch.tile);
      TileProduct.multiply(scratch.panel, depth, x, 1, scratch.tile);
      long stride = 4L * TileProduct.TOKENS;
      Tiles.move(scratch.tile, stride, TileProduct.ROWS, scratch.sums, stride);
    }
  }

  private static long floats(Arena arena, int count) {
    return arena.allocate(4L * count, 64).address();
  }
}
