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
import dev.helixbg.llm.cpu.kernel.Vectors;
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

  /** Attention of single tokens. */
  public static void attention() {
    try (Arena arena = Arena.ofConfined()) {
      long queries = floats(arena, HEAD);
      long halves = floats(arena, ROWS * HEAD);
      long scores = floats(arena, HEAD);
      long results = floats(arena, HEAD);
      for (int i = 0; i < CALLS; i++) {
        HalfAttention.scores(queries, queries, halves, ROWS, HEAD, scores, scores);
        HalfAttention.addWeighted(scores, scores, halves, ROWS, HEAD, results, results);
        Softmax.exponentials(scores, HEAD, Softmax.max(scores, HEAD), 1, HEAD);
      }
    }
  }

  /** The steps between the matrix products. */
  public static void vectors() {
    try (Arena arena = Arena.ofConfined()) {
      long x = floats(arena, 2 * HEAD);
      long y = floats(arena, 2 * HEAD);
      for (int i = 0; i < CALLS; i++) {
        Vectors.normalise(x, 2 * HEAD, y, 1, y);
        Vectors.normaliseAndRotate(x, HEAD, y, 1, y, y);
        Vectors.gate(x, 2 * HEAD, y);
        Vectors.add(x, 2 * HEAD, y);
        Vectors.multiply(x, 2 * HEAD, 1, y);
        Vectors.clear(y, 2 * HEAD);
        Vectors.max(x, 2 * HEAD);
        Vectors.indexOf(x, 2 * HEAD, 1);
        HalfFloats.packF16(x, 2 * HEAD, y);
      }
    }
  }

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
        scratch.unpacker.row(type, weights, COLUMNS, row);
      }
    }
  }

  /** What multiplies tiles of many rows in integers. */
  public static void quantisedTiles(TensorType type) {
    if (QuantisedPass.takes(type)) {
      try (Arena arena = Arena.ofConfined()) {
        quantised(arena, new Scratch(arena), type);
      }
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

  /** What multiplies tiles of many rows of any type, once they are unpacked, and for attention. */
  public static void floatTiles() {
    try (Arena arena = Arena.ofConfined()) {
      Scratch scratch = new Scratch(arena);
      int depth = 16;
      long rows = floats(arena, COLUMNS);
      long x = floats(arena, depth * TileProduct.TOKENS);
      for (int i = 0; i < CALLS; i++) {
        HalfFloats.unpackF16(x, depth * TileProduct.ROWS, rows);
        // Eight rows of vectors and one number by number.
        Tiles.pack(rows, 4L * depth, TileProduct.ROWS + 1, depth, x, scratch.turned);
        TileProduct.multiply(scratch.panel, depth, x, TileProduct.TOKENS, scratch.tile);
        TileProduct.multiply(scratch.panel, depth, x, 1, scratch.tile);
        long stride = 4L * TileProduct.TOKENS;
        Tiles.move(scratch.tile, stride, TileProduct.ROWS, scratch.sums, stride);
      }
    }
  }

  private static long floats(Arena arena, int count) {
    return arena.allocate(4L * count, 64).address();
  }
}
