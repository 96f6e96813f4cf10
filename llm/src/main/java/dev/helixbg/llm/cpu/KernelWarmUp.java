package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.HalfFloats;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.attention.HalfAttention;
import dev.helixbg.llm.cpu.kernel.attention.Softmax;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.cpu.kernel.tile.ByteTiles;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collection;

/**
 * Makes the JIT compile the kernels before their first use, by calling them with small inputs.
 *
 * <p>Until a kernel is compiled, each vector operation takes microseconds. Inputs are small, so
 * that loops have few iterations. If a loop had a hundred iterations, the JIT would first compile
 * that loop alone (on-stack replacement). This code would be discarded soon.
 */
public final class KernelWarmUp {
  /** Number of calls per kernel. The JIT's final compilation ends well before the last call. */
  private static final int CALLS = 8;

  /** Number of columns. A row of any type then has at least two blocks, so that loops repeat. */
  private static final int COLUMNS = 512;

  private static final int ROWS = 4;

  private static final int EIGHT = 8;

  /** Number of keys and values. The loops over them are compiled before the last warm-up call. */
  private static final int POSITIONS = 8;

  private static final int HEAD = 128;

  private KernelWarmUp() {}

  public static void attention() {
    try (Arena arena = Arena.ofConfined()) {
      long queries = floats(arena, HEAD);
      long stored = floats(arena, POSITIONS * HEAD);
      long scores = floats(arena, HEAD);
      long results = floats(arena, HEAD);
      for (int i = 0; i < CALLS; i++) {
        HalfAttention.addWeighted(scores, scores, stored, POSITIONS, HEAD, results, results);
        HalfAttention.scores(queries, queries, stored, POSITIONS, HEAD, scores, scores);
        Softmax.exponentials(scores, HEAD, Softmax.max(scores, HEAD), 1, HEAD);
      }
    }
  }

  public static void vectors() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(8L * HEAD, 64);
      // In every other call, indexOf finds the value 1, which is not in the first vector.
      numbers.set(ValueLayout.JAVA_FLOAT, 4L * HEAD, 1);
      long x = numbers.address();
      long y = floats(arena, 2 * HEAD);
      for (int i = 0; i < CALLS; i++) {
        VectorOps.normalise(x, 2 * HEAD, y, 1, y);
        VectorOps.normaliseAndRotate(x, HEAD, y, 1, y);
        VectorOps.gate(x, 2 * HEAD, y);
        VectorOps.add(x, 2 * HEAD, y);
        VectorOps.multiply(x, 2 * HEAD, 1, y);
        VectorOps.clear(y, 2 * HEAD);
        VectorOps.max(x, 2 * HEAD);
        VectorOps.indexOf(x, 2 * HEAD, 1 + i % 2);
        HalfFloats.packF16(x, 2 * HEAD, y);
      }
    }
  }

  public static void rows(TensorType type) {
    RowKernel kernel = RowKernels.of(type);
    try (Arena arena = Arena.ofConfined()) {
      ThreadScratch scratch = new ThreadScratch(arena);
      long weights = arena.allocate(ROWS * type.bytes(COLUMNS), 64).address();
      long x = floats(arena, COLUMNS);
      long prepared = floats(arena, kernel.floats(COLUMNS));
      long y = floats(arena, ROWS);
      for (int i = 0; i < CALLS; i++) {
        kernel.prepare(x, COLUMNS, prepared);
        RowKernels.multiply(
            type, weights, COLUMNS, prepared, y, 0, ROWS, i % 2 + 1, scratch.scores(COLUMNS));
      }
    }
  }

  /**
   * Warms up the unpacking of weights for those types that are multiplied in floats. The types are
   * unpacked in turn, because C2 leaves out the branch of a type that was never unpacked.
   */
  public static void unpacker(Collection<TensorType> types) {
    try (Arena arena = Arena.ofConfined()) {
      ThreadScratch scratch = new ThreadScratch(arena);
      long row = floats(arena, COLUMNS);
      for (int i = 0; i < CALLS; i++) {
        for (TensorType type : types) {
          if (!ByteMatmul.takes(type)) {
            scratch.unpacker.row(type, row, COLUMNS, scratch.panel);
          }
        }
      }
    }
  }

  public static void tiles(TensorType type) {
    if (!ByteMatmul.takes(type)) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      ThreadScratch scratch = new ThreadScratch(arena);
      long weights = arena.allocate(type.bytes(ByteTiles.COLUMNS), 64).address();
      long rows = floats(arena, (EIGHT + 1) * COLUMNS);
      long tile = arena.allocate(ByteTiles.SUBS * ByteTiles.SUB_BYTES, 64).address();
      long floats = scratch.floats(ByteTiles.SCRATCH);
      for (int i = 0; i < CALLS; i++) {
        scratch.byteRows.unpack(type, weights, ByteTiles.COLUMNS, 0);
        ByteTiles.pack(
            rows, 4L * COLUMNS, EIGHT + 1, ByteTiles.COLUMNS, tile, ByteProduct.PAIRS, floats);
      }
    }
  }

  /** Warms up products in floats, which matrices of any weight type and attention need. */
  public static void floatTiles() {
    try (Arena arena = Arena.ofConfined()) {
      ThreadScratch scratch = new ThreadScratch(arena);
      int depth = 16;
      long rows = floats(arena, COLUMNS);
      long x = floats(arena, depth * TileProduct.TOKENS);
      int width = TileProduct.TOKENS;
      long stride = 4L * width;
      for (int i = 0; i < CALLS; i++) {
        HalfFloats.unpackF16(x, depth * EIGHT, rows);
        // Packs eight rows with vectors. In a larger tile, packs a ninth row value by value.
        int packed = Math.min(EIGHT + 1, width);
        TokenTiles.pack(rows, 4L * depth, packed, depth, x, scratch.turned);
        for (int tokens : new int[] {1, width}) {
          boolean first = i % 2 == 0;
          TileProduct.multiply(scratch.panel, EIGHT, depth, x, tokens, first, scratch.sums);
        }
        TokenTiles.unpack(scratch.sums, EIGHT + 1, 8, false, x, stride, scratch.turned);
        TokenTiles.unpack(scratch.sums, EIGHT + 1, 8, true, x, stride, scratch.turned);
        Unpacker.readAhead(rows, stride, EIGHT, stride);
        TokenTiles.move(scratch.sums, stride, EIGHT, scratch.panel, stride);
      }
    }
  }

  private static long floats(Arena arena, int count) {
    return arena.allocate(4L * count, 64).address();
  }
}
