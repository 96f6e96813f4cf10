package dev.helixbg.llm.gguf;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file mapped into memory, read-only, until {@link #close}.
 *
 * <p>A file that someone shortens under its mapping would kill the process at the next access, so
 * {@link #requireWhole} is asked before the bytes are used.
 */
public final class MappedFile implements AutoCloseable {
  /** The embedding model and the JVM leave that much on any machine that they run on. */
  private static final long SURELY_FITS = 1L << 30;

  private final Path path;

  /** Tells the file's size; unlike a channel, an interrupted thread does not close it. */
  private final RandomAccessFile handle;

  private final Arena arena;
  private final MemorySegment bytes;

  private MappedFile(Path path, RandomAccessFile handle, Arena arena, MemorySegment bytes) {
    this.path = path;
    this.handle = handle;
    this.arena = arena;
    this.bytes = bytes;
  }

  /**
   * Maps a file.
   *
   * @throws GgufException if it cannot be read
   */
  public static MappedFile open(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw error(path, "this is not a regular file", GgufException.NO_OFFSET);
    }
    // Worker threads read the weights.
    Arena arena = Arena.ofShared();
    RandomAccessFile handle = null;
    try {
      handle = new RandomAccessFile(path.toFile(), "r");
      MemorySegment bytes = handle.getChannel().map(MapMode.READ_ONLY, 0, handle.length(), arena);
      return new MappedFile(path, handle, arena, bytes);
    } catch (IOException e) {
      release(handle, arena);
      throw unreadable(path, e);
    } catch (Throwable e) {
      release(handle, arena);
      throw e;
    }
  }

  private static void release(RandomAccessFile handle, Arena arena) {
    arena.close();
    try {
      if (handle != null) {
        handle.close();
      }
    } catch (IOException e) {
      // It was only read: nothing is lost, and the mapping is gone already.
    }
  }

  private static GgufException unreadable(Path path, IOException e) {
    String what = Files.exists(path) ? "cannot be read: " + e.getMessage() : "no such file";
    return error(path, what, GgufException.NO_OFFSET);
  }

  private static GgufException error(Path path, String what, long offset) {
    return new GgufException(path.toString(), what, offset, "");
  }

  /** An error in the file as a whole. */
  public GgufException error(String what) {
    return error(path, what, GgufException.NO_OFFSET);
  }

  Path path() {
    return path;
  }

  public MemorySegment bytes() {
    return bytes;
  }

  /**
   * Touches every page in order, so that later use does not wait for the disk page by page. A file
   * that leaves no memory for anything else is left alone: its first pages would be gone again
   * before its last were there.
   *
   * @return whether it did
   */
  public boolean readAhead() {
    // Asking for the memory's size takes a young process some ten milliseconds.
    return readAhead(bytes.byteSize() <= SURELY_FITS ? Long.MAX_VALUE : memory());
  }

  boolean readAhead(long memory) {
    if (bytes.byteSize() > memory / 4 * 3) {
      return false;
    }
    bytes.load();
    return true;
  }

  /** Of the machine, or of the container. */
  private static long memory() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  /**
   * Checks that the file still has all the bytes that were mapped.
   *
   * @throws GgufException if it was shortened, or cannot be asked
   */
  public void requireWhole() {
    try {
      long size = handle.length();
      if (size < bytes.byteSize()) {
        throw error(
            path,
            "the file shrank from %d to %d bytes while in use; load the model again"
                .formatted(bytes.byteSize(), size),
            size);
      }
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  @Override
  public void close() {
    release(handle, arena);
  }
}
