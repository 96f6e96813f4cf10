package dev.helixbg.insight.log;

import dev.helixbg.config.files.FileState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads helix's data.log in any state; never writes, locks or maps the file.
 *
 * <p>Header, 8 bytes: {@code AMRL}, version u32 = 1, little-endian. Records follow until the end:
 *
 * <pre>
 * entry   u8 0x01   u8 topic length   u32 body length   i32 minutes   u16 zero   topic   body
 * delete  u8 0x02   3 zero bytes      u32 offset of the entry it removes
 * </pre>
 *
 * <p>A delete may remove any entry of the log, even an entry that follows the delete. A delete is
 * ignored if its offset is not the offset of an entry. An empty file is an empty KB. Bytes that are
 * not part of a record are damage. Records after damage are found by the rules of {@link
 * RecordResync} and {@link LogWalk}.
 */
public final class DataLog {
  static final int HEADER_BYTES = 8;
  static final int MAX_BYTES = 2_000_000_000; // arrays have a slightly higher limit

  /** Number of bytes that are read at once; the JDK keeps a native buffer of this size. */
  private static final int CHUNK = 1 << 16;

  private static final int VERSION = 1;
  private static final int MAGIC = 'A' | 'M' << 8 | 'R' << 16 | 'L' << 24;
  private static final int ATTEMPTS = 5;

  /** If a log did not change for this time, {@link #readQuiet} takes it as complete. */
  public static final Duration QUIET = Duration.ofMillis(500);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);
  private static final long PAUSE_MILLIS = 20;

  private DataLog() {}

  /**
   * Reads the file up to the size that it has when it is opened. If the file is shortened
   * meanwhile, reads it again.
   *
   * @throws DataLogException when the file is not a data.log of version 1, or cannot be read at all
   */
  public static LogReading read(Path file) {
    return read(file, Optional.empty());
  }

  /** Reads the file. {@code sha256} is the log's hash if known; then it is not computed again. */
  public static LogReading read(Path file, Optional<String> sha256) {
    try {
      checkRegular(file);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        return read(file, channel, sha256);
      }
    } catch (NoSuchFileException e) {
      throw new DataLogException(
          file + " does not exist; name the folder of a helix knowledge base", e);
    } catch (AccessDeniedException e) {
      throw new DataLogException(
          file + " may not be read by this user; change the permissions of the file or its folder",
          e);
    } catch (IOException e) {
      throw new DataLogException(
          file + " cannot be read (" + reasonOf(e) + "); check the disk and the path", e);
    }
  }

  /**
   * Reads the file after half a second without a change, so that no edit is half done. To edit an
   * entry, helix appends the new entry in three pieces, and then a delete. If the file keeps
   * changing for 3 s, returns the first later reading whose last record is complete. If the first
   * five of these readings end in an incomplete record, returns the fifth.
   *
   * @throws DataLogException as {@link #read} does
   * @throws InterruptedException while waiting
   */
  public static LogReading readQuiet(Path file) throws InterruptedException {
    return readQuiet(file, QUIET, LONGEST_WAIT);
  }

  static LogReading readQuiet(Path file, Duration quiet, Duration patience)
      throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    for (int late = 0; ; ) {
      FileState before = awaitQuiet(file, quiet, deadline);
      LogReading reading = read(file);
      if (before != null && before.equals(stateOf(file))) {
        return reading;
      }
      if (System.nanoTime() - deadline >= 0) {
        if (++late == ATTEMPTS || !endsTorn(reading.account())) {
          return reading;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  static LogReading read(Path file, SeekableByteChannel channel, Optional<String> sha256)
      throws IOException {
    byte[] log = whole(file, channel);
    LiveEntries live = new LiveEntries(log);
    if (log.length > 0) {
      checkHeader(file, log);
      new LogWalk(log, live).run();
    }
    return live.finish(sha256);
  }

  private static byte[] whole(Path file, SeekableByteChannel log) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long size = log.size();
      if (size > MAX_BYTES) {
        throw new DataLogException(
            "%s has %s bytes, too many to read; check the path, or compact the log with helix"
                .formatted(file, size));
      }
      ByteBuffer read = ByteBuffer.allocate((int) size);
      log.position(0);
      int last = 0;
      while (last >= 0 && read.position() < read.capacity()) {
        last = log.read(read.limit(Math.min(read.position() + CHUNK, read.capacity())));
      }
      if (last >= 0) {
        return read.array();
      }
    }
    throw new DataLogException(
        file + " was truncated repeatedly while it was read; try again later");
  }

  private static void checkHeader(Path file, byte[] log) {
    if (log.length < HEADER_BYTES) {
      throw new DataLogException(
          ("%s has only %s of the 8 bytes that begin a data.log; if it holds nothing of yours,"
                  + " remove it and let helix make it again")
              .formatted(file, log.length));
    }
    ByteBuffer header = ByteBuffer.wrap(log).order(ByteOrder.LITTLE_ENDIAN);
    if (header.getInt() != MAGIC) {
      throw new DataLogException(
          file + " does not begin with AMRL, so it is no data.log of helix; check the path");
    }
    int version = header.getInt();
    if (version != VERSION) {
      throw new DataLogException(
          ("%s is a data.log of version %s, but this helix-bg reads version 1 only;"
                  + " look for a newer helix-bg")
              .formatted(file, Integer.toUnsignedString(version)));
    }
  }

  private static void checkRegular(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (attributes.isDirectory()) {
      throw new DataLogException(file + " is a folder, not a data.log; name the file in it");
    }
    if (!attributes.isRegularFile()) {
      throw new DataLogException(file + " is a pipe or a device, not a data.log; check the path");
    }
  }

  /** Returns the file's state after {@code quiet} without a change; null after the deadline. */
  private static FileState awaitQuiet(Path file, Duration quiet, long deadline)
      throws InterruptedException {
    FileState state = stateOf(file);
    long since = System.nanoTime();
    while (state != null && System.nanoTime() - deadline < 0) {
      long age = System.currentTimeMillis() - state.modified().toMillis();
      if (age >= quiet.toMillis() || System.nanoTime() - since >= quiet.toNanos()) {
        return state;
      }
      Thread.sleep(PAUSE_MILLIS);
      FileState next = stateOf(file);
      if (!state.equals(next)) {
        state = next;
        since = System.nanoTime();
      }
    }
    return null;
  }

  /** Returns the state of the file, or null after an error, which {@link #read} then reports. */
  private static FileState stateOf(Path file) {
    try {
      return FileState.of(file);
    } catch (IOException e) {
      return null;
    }
  }

  private static boolean endsTorn(LogAccount account) {
    return account.damage().stream()
        .anyMatch(one -> one.offset() + one.unreadable() == account.bytes());
  }

  private static String reasonOf(IOException e) {
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  /** One reading of a log: the live entries, ordered by offset, and the account of every byte. */
  public record LogReading(List<Entry> entries, LogAccount account) {}
}
