package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;
import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import java.lang.foreign.Arena;

/**
 * Packs rows of tokens into tiles, and unpacks tiles to rows. A tile stores column after column. In
 * each column, the floats of {@link TileProduct#TOKENS} tokens are adjacent. Rows and tiles are
 * passed as addresses.
 */
public final class TokenTiles {
  private static final int EIGHT = EightColumnTranspose.COLUMNS;

  /** Size of the scratch memory for {@link #pack} and {@link #unpack}, in bytes. */
  public static final long SCRATCH = EightColumnTranspose.SCRATCH;

  /** Address of zeros, the start values of a kernel's sums. */
  static final long ZEROS = Arena.global().allocate(4L * TileProduct.ROOM * TOKENS, 64).address();

  private TokenTiles() {}

  /**
   * Packs rows of tokens into a tile: {@code tile[k][t] = rows[t][k]} for {@code tokens} rows. The
   * rows are {@code stride} bytes apart.
   *
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void pack(
      long rows, long stride, int tokens, int columns, long tile, long scratch) {
    int t = 0;
    if (EightColumnTranspose.APPLIES && columns % COUNT == 0) {
      for (; t + EIGHT <= tokens; t += EIGHT) {
        long to = tile + 4L * t;
        EightColumnTranspose.write(
            rows + t * stride, stride, columns, false, to, 4L * TOKENS, scratch);
      }
    }
    for (; t < tokens; t++) {
      long from = rows + t * stride & ADDRESS;
      long to = tile + 4L * t & ADDRESS;
      for (int k = 0; k < columns; k++) {
        MEMORY.set(FLOAT, to + 4L * TOKENS * k, MEMORY.get(FLOAT, from + 4L * k));
      }
    }
  }

  /**
   * Unpacks a tile to rows of tokens: {@code rows[t][k] = tile[k][t]}, or {@code +=} if {@code
   * adds} is true.
   *
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void unpack(
      long tile, int columns, int tokens, boolean adds, long rows, long stride, long scratch) {
    int done = 0;
    if (EightColumnTranspose.APPLIES) {
      for (; done + EIGHT <= columns; done += EIGHT) {
        long from = tile + 4L * TOKENS * done;
        EightColumnTranspose.write(
            from, 4L * TOKENS, tokens, adds, rows + 4L * done, stride, scratch);
      }
    }
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      for (int k = done; k < columns; k++) {
        float before = adds ? MEMORY.get(FLOAT, to + 4L * k) : 0;
        MEMORY.set(FLOAT, to + 4L * k, before + MEMORY.get(FLOAT, tile + 4L * (TOKENS * k + t)));
      }
    }
  }

  /** Copies rows of {@link TileProduct#TOKENS} floats; strides are in bytes. */
  public static void move(long source, long stride, int rows, long target, long targetStride) {
    for (int r = 0; r < rows; r++) {
      loadFloats(source + r * stride).intoMemorySegment(MEMORY, target + r * targetStride, ORDER);
      loadFloats(source + r * stride + BYTES)
          .intoMemorySegment(MEMORY, target + r * targetStride + BYTES, ORDER);
    }
  }
}
