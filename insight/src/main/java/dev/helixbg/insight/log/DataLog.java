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
 * Reads helix's data.log, even a damaged one; never writes, locks or maps the file.
 *
 * <p>The file begins with a header of 8 bytes: {@code AMRL} and the version, a little-endian u32 of
 * value 1. Records follow until the end of the file:
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

  /** Time without a change after which {@link #readQuiet} considers a log complete. */
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

  /** Reads the file. {@code sha256} is the SHA-256 hash of the log; if empty, it is computed. */
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
   * Waits until the file has not changed for half a second, then reads it. Without the wait, the
   * result could contain half of an edit: helix appends the new entry in three pieces, and then a
   * delete. If the file still changes after 3 s, reads it up to five times, and returns the first
   * result whose last record is complete. If none is complete, returns the fifth.
   *
   * @throws DataLogException when the file is not a data.log of version 1, or cannot be read at all
   * @throws InterruptedException when the thread is interrupted while it waits
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
          ("%s has only %s of the 8 bytes with which a data.log begins; if you have stored nothing"
                  + " in it, delete it and let helix create a new one")
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

  /**
   * Waits until the file has not changed for the duration {@code quiet}, and returns its state.
   * Returns null if the deadline passes first, or if the state cannot be read.
   */
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

  /** The contents of a log: the live entries, ordered by offset, and the counts of its records. */
  public record LogReading(List<Entry> entries, LogAccount account) {}
}
