package dev.helixbg.embed.cache;

import dev.helixbg.embed.Cosine;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * embeddings.bin, version 1 of the HXEC format, which helix and other programs read too. All
 * numbers are little-endian:
 *
 * <pre>
 *   "HXEC"  version u32 = 1  count u32  dimension u32 = 384
 *   count × ( offset u32, dimension × f32 )      sorted by offset
 * </pre>
 */
final class VectorFile {

  static final int DIMENSION = 384;
  static final int HEADER_BYTES = 16;
  static final int ROW_BYTES = 4 + 4 * DIMENSION;

  private static final int MAGIC = 'H' | 'X' << 8 | 'E' << 16 | 'C' << 24;
  private static final int VERSION = 1;
  private static final int ROWS_AT_A_TIME = 64;

  /** Far more than memory holds; keeps the keys below 2 GiB. */
  private static final int MAX_COUNT = 1 << 26;

  /** Accepted distance of a squared length from 1; float rounding stays below 1e-6. */
  private static final double NORM_TOLERANCE = 1e-4;

  /**
   * What a file held.
   *
   * @param offsets one per vector, ascending
   * @param vectors of 384 values
   * @param stamp identifies the exact bytes of the file
   */
  record Content(List<Long> offsets, List<float[]> vectors, Stamp stamp) {}

  /**
   * Identifies the exact bytes of a file to another one that vouches for it. CRC-32C, because it is
   * one machine instruction even before the JIT compiler has run, finds every single flipped bit,
   * and has to tell apart only the few versions that one file ever had.
   */
  record Stamp(long bytes, int crc32c) {}

  private VectorFile() {}

  /** CRC-32C of a part of some bytes. */
  static int crc32c(byte[] bytes, int from, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return (int) checksum.getValue();
  }

  static Content read(Path file) throws IOException, CacheFault {
    CacheFault.unless(file.toFile().isFile(), "it is no file"); // a pipe would never end
    // Not a channel: an interrupted thread must not turn a good cache into a damaged one.
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      long bytes = file.toFile().length();
      CRC32C checksum = new CRC32C();
      ByteBuffer header = next(in, HEADER_BYTES, checksum);
      CacheFault.unless(header.getInt() == MAGIC, "it does not begin with HXEC");
      int version = header.getInt();
      CacheFault.unless(
          version == VERSION, "its version is " + Integer.toUnsignedString(version) + ", not 1");
      long count = Integer.toUnsignedLong(header.getInt());
      int dimension = header.getInt();
      CacheFault.unless(
          dimension == DIMENSION,
          "its dimension is " + Integer.toUnsignedString(dimension) + ", not 384");
      CacheFault.unless(
          bytes == HEADER_BYTES + count * ROW_BYTES,
          "its size is " + bytes + " bytes, but " + count + " vectors need another");
      CacheFault.unless(count <= MAX_COUNT, "it holds " + count + " vectors");
      List<Long> offsets = new ArrayList<>();
      List<float[]> vectors = new ArrayList<>();
      for (long left = count; left > 0; ) {
        int rows = (int) Math.min(left, ROWS_AT_A_TIME);
        readRows(next(in, rows * ROW_BYTES, checksum), rows, offsets, vectors);
        left -= rows;
      }
      CacheFault.unless(in.read() < 0, "it grew while it was read");
      return new Content(offsets, vectors, new Stamp(bytes, (int) checksum.getValue()));
    }
  }

  static Stamp write(OutputStream out, List<CacheRow> rows) throws IOException {
    CRC32C checksum = new CRC32C();
    ByteBuffer header = buffer(HEADER_BYTES);
    header.putInt(MAGIC).putInt(VERSION).putInt(rows.size()).putInt(DIMENSION);
    emit(out, header, checksum);
    ByteBuffer bytes = buffer(ROW_BYTES);
    for (CacheRow row : rows) {
      bytes.clear().putInt((int) row.offset());
      bytes.asFloatBuffer().put(row.vector());
      emit(out, bytes, checksum);
    }
    return new Stamp(HEADER_BYTES + (long) rows.size() * ROW_BYTES, (int) checksum.getValue());
  }

  static boolean isUnit(float[] vector) {
    return Math.abs(Cosine.of(vector, vector) - 1) <= NORM_TOLERANCE; // false for NaN
  }

  private static void readRows(
      ByteBuffer bytes, int rows, List<Long> offsets, List<float[]> vectors) throws CacheFault {
    FloatBuffer values = bytes.asFloatBuffer();
    for (int row = 0; row < rows; row++) {
      long offset = Integer.toUnsignedLong(bytes.getInt(row * ROW_BYTES));
      if (!offsets.isEmpty()) {
        long before = offsets.getLast();
        CacheFault.unless(offset != before, "offset " + offset + " occurs twice");
        CacheFault.unless(offset > before, "offset " + offset + " comes after " + before);
      }
      float[] vector = new float[DIMENSION];
      values.get(row * (1 + DIMENSION) + 1, vector);
      CacheFault.unless(
          isUnit(vector), "the vector of offset " + offset + " is not of unit length");
      offsets.add(offset);
      vectors.add(vector);
    }
  }

  private static ByteBuffer next(InputStream in, int length, CRC32C checksum)
      throws IOException, CacheFault {
    byte[] bytes = in.readNBytes(length);
    CacheFault.unless(bytes.length == length, "it ends in the middle of a record");
    checksum.update(bytes);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void emit(OutputStream out, ByteBuffer bytes, CRC32C checksum) throws IOException {
    checksum.update(bytes.array());
    out.write(bytes.array());
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
