package dev.helixbg.embed.cache;

import dev.helixbg.embed.cache.CacheContents.Journal;
import dev.helixbg.embed.store.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * embeddings.journal: vectors that embeddings.bin does not have yet, in the order in which they
 * were made. All numbers are little-endian:
 *
 * <pre>
 *   "HXEJ"  version u32 = 1
 *   then until the end: key of 16 bytes, dimension × f32, CRC-32C of both u32
 * </pre>
 *
 * <p>Records are of one size and vouch for themselves: one that is damaged costs its own vector
 * only. Nothing is appended to a file that is not whole, is open to others where it need not be, or
 * is a link.
 */
final class JournalFile {

  static final int HEADER_BYTES = 8;
  static final int RECORD_BYTES = TextKey.BYTES + 4 * VectorFile.DIMENSION + 4;

  private static final int MAGIC = 'H' | 'X' << 8 | 'E' << 16 | 'J' << 24;
  private static final int VERSION = 1;

  private JournalFile() {}

  static Journal read(Path file) {
    Map<TextKey, float[]> vectors = new LinkedHashMap<>();
    try {
      PosixFileAttributes attributes =
          Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // Whoever opened a pipe would wait for ever.
      CacheFault.unless(attributes.isRegularFile(), "is no file of its own, but a link or such");
      CacheFault.unless(
          attributes.size() <= Integer.MAX_VALUE, "has " + attributes.size() + " bytes");
      int damaged;
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
        if (attributes.size() < HEADER_BYTES) {
          return new Journal(Journal.State.TORN, "ends in its header", vectors);
        }
        ByteBuffer header = buffer(in.readNBytes(HEADER_BYTES));
        CacheFault.unless(
            header.getInt() == MAGIC && header.getInt() == VERSION, "is of another version");
        damaged = readRecords(in, vectors);
      }
      CacheFault.unless(
          damaged == 0, "has " + damaged + (damaged == 1 ? " damaged record" : " damaged records"));
      if ((attributes.size() - HEADER_BYTES) % RECORD_BYTES != 0) {
        return new Journal(Journal.State.TORN, "ends in the middle of a record", vectors);
      }
      return PrivateFiles.isPrivate(attributes.permissions())
          ? new Journal(Journal.State.WHOLE, "", vectors)
          : new Journal(Journal.State.OPEN, "is open to other users", vectors);
    } catch (NoSuchFileException e) {
      return Journal.NONE;
    } catch (IOException e) {
      return new Journal(Journal.State.DAMAGED, "cannot be read: " + e.getMessage(), vectors);
    } catch (CacheFault e) {
      return new Journal(Journal.State.DAMAGED, e.getMessage(), vectors);
    }
  }

  /**
   * Reads all records that are complete.
   *
   * @return how many of them are damaged
   */
  private static int readRecords(InputStream in, Map<TextKey, float[]> vectors) throws IOException {
    int damaged = 0;
    while (true) {
      byte[] bytes = in.readNBytes(RECORD_BYTES);
      if (bytes.length < RECORD_BYTES) {
        return damaged;
      }
      ByteBuffer record = buffer(bytes);
      TextKey key = new TextKey(record.getLong(), record.getLong());
      float[] vector = new float[VectorFile.DIMENSION];
      record.asFloatBuffer().get(vector);
      if (record.getInt(RECORD_BYTES - 4) == checksum(bytes, 0) && VectorFile.isUnit(vector)) {
        vectors.put(key, vector);
      } else {
        damaged++;
      }
    }
  }

  /**
   * Appends vectors and syncs them to disk; makes the file where there is none, for its owner only.
   *
   * @return whether it was made
   */
  static boolean append(Path file, Map<TextKey, float[]> vectors) throws IOException {
    boolean made = PrivateFiles.create(file);
    int start = made ? HEADER_BYTES : 0;
    ByteBuffer bytes = buffer(new byte[start + vectors.size() * RECORD_BYTES]);
    if (made) {
      bytes.putInt(MAGIC).putInt(VERSION);
    }
    vectors.forEach(
        (key, vector) -> {
          int at = bytes.position();
          bytes.putLong(key.high()).putLong(key.low());
          for (float value : vector) {
            bytes.putFloat(value);
          }
          bytes.putInt(checksum(bytes.array(), at));
        });
    try (OutputStream out = PrivateFiles.appending(file)) {
      out.write(bytes.array());
    }
    return made;
  }

  /** Of a record, but for the last four bytes, which hold it. */
  private static int checksum(byte[] bytes, int from) {
    return VectorFile.crc32c(bytes, from, RECORD_BYTES - 4);
  }

  private static ByteBuffer buffer(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
