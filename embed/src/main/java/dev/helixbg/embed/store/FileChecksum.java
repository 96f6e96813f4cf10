package dev.helixbg.embed.store;

import java.util.zip.CRC32C;

/**
 * Identifies the exact bytes of a file to another file that vouches for it. CRC-32C, because it is
 * one machine instruction even before the JIT compiler has run, finds every single flipped bit, and
 * has to tell apart only the few versions that one file ever had.
 */
public record FileChecksum(long bytes, int crc32c) {

  /** CRC-32C of a part of some bytes. */
  public static int crc32c(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return (int) checksum.getValue();
  }
}
