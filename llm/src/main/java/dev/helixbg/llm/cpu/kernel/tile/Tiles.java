package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;
import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

/**
 * Tiles of tokens: columns × {@link TileProduct#TOKENS} floats, the tokens side by side. Places are
 * byte offsets.
 */
public final class Tiles {
  /** Bytes of scratch memory that {@link #pack} and {@link #unpack} want. */
  public static final long SCRATCH = EightColumns.SCRATCH;

  private Tiles() {}

  /**
   * Rows of tokens to a tile: {@code tile[k][t] = rows[t][k]} for {@code tokens} rows, {@code
   * stride} bytes apart.
   *
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void pack(
      long rows, long stride, int tokens, int columns, long tile, long scratch) {
    int t = 0;
    if (EightColumns.APPLIES && columns % COUNT == 0) {
      for (; t + TileProduct.ROWS <= tokens; t += TileProduct.ROWS) {
        long to = tile + 4L * t;
        EightColumns.write(rows + t * stride, stride, columns, false, to, 4L * TOKENS, scratch);
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
   * A tile to rows of tokens: {@code rows[t][k] = tile[k][t]}, or {@code +=}.
   *
   * @param width tokens from one column of the tile to the next
   * @param scratch {@link #SCRATCH} bytes
   */
  public static void unpack(
      long tile,
      int width,
      int columns,
      int tokens,
      boolean adds,
      long rows,
      long stride,
      long scratch) {
    if (EightColumns.APPLIES && columns == TileProduct.ROWS) {
      EightColumns.write(tile, 4L * width, tokens, adds, rows, stride, scratch);
      return;
    }
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      if (adds) {
        for (int k = 0; k < columns; k++) {
          float before = MEMORY.get(FLOAT, to + 4L * k);
          MEMORY.set(FLOAT, to + 4L * k, before + MEMORY.get(FLOAT, tile + 4L * (width * k + t)));
        }
      } else {
        for (int k = 0; k < columns; k++) {
          MEMORY.set(FLOAT, to + 4L * k, MEMORY.get(FLOAT, tile + 4L * (width * k + t)));
        }
      }
    }
  }

  /** Rows of {@link TileProduct#TOKENS} floats to other places, strides in bytes. */
  public static void move(long from, long stride, int rows, long to, long toStride) {
    for (int r = 0; r < rows; r++) {
      loadFloats(from + r * stride).intoMemorySegment(MEMORY, to + r * toStride, ORDER);
      loadFloats(from + r * stride + BYTES)
          .intoMemorySegment(MEMORY, to + r * toStride + BYTES, ORDER);
    }
  }

  /** {@code sum += tile}, over {@code columns}. */
  public static void add(long tile, int columns, long sum) {
    for (int k = 0; k < 2 * columns; k++) {
      long at = k * (long) BYTES;
      loadFloats(sum + at).add(loadFloats(tile + at)).intoMemorySegment(MEMORY, sum + at, ORDER);
    }
  }
}
