package dev.helixbg.embed.cache;

import dev.helixbg.embed.cache.CacheContents.CacheRow;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * embeddings.keys, passages.keys: says which text each vector of one exact embeddings.bin or
 * passages.bin stands for. All numbers are little-endian:
 *
 * <pre>
 *   "HXEK"  version u32 = 1  count u32
 *   size of the vector file u64, its CRC-32C u32
 *   count × key of 16 bytes                       in the order of the vectors
 *   CRC-32C of everything before, u32
 * </pre>
 */
final class KeyFile {

  private static final int MAGIC = 'H' | 'X' << 8 | 'E' << 16 | 'K' << 24;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 24;
  private static final int CHECKSUM_BYTES = 4;

  private KeyFile() {}

  /**
   * Reads the keys of the vector file that has this stamp.
   *
   * @throws CacheFault when the file is damaged, or belongs to another vector file
   */
  static List<TextKey> read(Path file, VectorFile.Stamp stamp, int count)
      throws IOException, CacheFault {
    CacheFault.unless(file.toFile().isFile(), "is no file"); // a pipe would never end
    long expected = HEADER_BYTES + (long) count * TextKey.BYTES + CHECKSUM_BYTES;
    byte[] bytes;
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      long size = file.toFile().length();
      CacheFault.unless(
          size == expected, "has " + size + " bytes where the vectors need " + expected);
      bytes = in.readNBytes((int) expected);
    }
    CacheFault.unless(bytes.length == expected, "was cut while it was read");
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    CacheFault.unless(
        in.getInt(bytes.length - CHECKSUM_BYTES) == checksum(bytes), "has a wrong checksum");
    CacheFault.unless(in.getInt() == MAGIC && in.getInt() == VERSION, "is of another version");
    CacheFault.unless(
        in.getInt() == count && in.getLong() == stamp.bytes() && in.getInt() == stamp.crc32c(),
        "belongs to another file of vectors");
    List<TextKey> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(new TextKey(in.getLong(), in.getLong()));
    }
    return keys;
  }

  static void write(OutputStream out, VectorFile.Stamp stamp, List<CacheRow> rows)
      throws IOException {
    ByteBuffer bytes =
        ByteBuffer.allocate(HEADER_BYTES + rows.size() * TextKey.BYTES + CHECKSUM_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putInt(VERSION).putInt(rows.size());
    bytes.putLong(stamp.bytes()).putInt(stamp.crc32c());
    for (CacheRow row : rows) {
      bytes.putLong(row.key().high()).putLong(row.key().low());
    }
    bytes.putInt(checksum(bytes.array()));
    out.write(bytes.array());
  }

  /** Of all bytes but the last four, which hold it. */
  private static int checksum(byte[] bytes) {
    return VectorFile.crc32c(bytes, 0, bytes.length - CHECKSUM_BYTES);
  }
}
