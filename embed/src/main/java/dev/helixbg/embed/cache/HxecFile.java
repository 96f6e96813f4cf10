package dev.helixbg.embed.cache;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The file {@code embeddings.bin} in version 1 of the HXEC format. helix-bg writes the file; helix
 * and other programs read it. All numbers are little-endian:
 *
 * <pre>
 *   "HXEC"  version u32 = 1  count u32  dimension u32 = 384
 *   count × ( offset u32, dimension × f32 )      sorted by offset
 * </pre>
 */
public final class HxecFile {
  public static final String NAME = "embeddings.bin";

  private static final int HEADER_BYTES = 16;
  private static final int ROW_BYTES = 4 + 4 * VectorStore.DIMENSION;
  private static final int MAGIC = 'H' | 'X' << 8 | 'E' << 16 | 'C' << 24;
  private static final int VERSION = 1;
  private static final long LARGEST_OFFSET = 0xFFFF_FFFFL;

  private HxecFile() {}

  /**
   * Writes the file's content.
   *
   * @param offsets positions of the entries in data.log, in bytes, ascending, below 2<sup>32</sup>
   * @param vectors one vector per offset, of 384 values and unit length
   * @throws IllegalArgumentException when offsets do not ascend, or a vector is not of unit length
   */
  public static void write(OutputStream out, List<Long> offsets, List<float[]> vectors)
      throws IOException {
    ByteBuffer header = buffer(HEADER_BYTES);
    header.putInt(MAGIC).putInt(VERSION).putInt(offsets.size()).putInt(VectorStore.DIMENSION);
    out.write(header.array());
    ByteBuffer row = buffer(ROW_BYTES);
    long before = -1;
    for (int i = 0; i < offsets.size(); i++) {
      long offset = offsets.get(i);
      if (offset <= before || offset > LARGEST_OFFSET) {
        throw new IllegalArgumentException(
            "offset " + offset + " after " + before + ": must ascend and fit 32 bits");
      }
      VectorStore.check(vectors.get(i));
      row.clear().putInt((int) offset);
      row.asFloatBuffer().put(vectors.get(i));
      out.write(row.array());
      before = offset;
    }
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
