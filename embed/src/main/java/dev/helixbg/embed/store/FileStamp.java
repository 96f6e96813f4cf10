package dev.helixbg.embed.store;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Identifies the exact bytes of a file to another file that vouches for it. CRC-32C, because it is
 * one machine instruction even before the JIT compiler has run, finds every single flipped bit, and
 * has to tell apart only the few versions that one file ever had.
 */
public record FileStamp(long bytes, int crc32c) {

  private static final int BUFFER_BYTES = 1 << 17;

  public static FileStamp of(Path file) throws IOException {
    CRC32C checksum = new CRC32C();
    long bytes = 0;
    byte[] buffer = new byte[BUFFER_BYTES];
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      for (int read; (read = in.read(buffer)) >= 0; bytes += read) {
        checksum.update(buffer, 0, read);
      }
    }
    return new FileStamp(bytes, (int) checksum.getValue());
  }

  /** CRC-32C of a part of some bytes. */
  public static int crc32c(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return (int) checksum.getValue();
  }

  /** Size and checksum, for a line of a text file. */
  public String text() {
    return bytes + "-" + Integer.toHexString(crc32c);
  }
}
