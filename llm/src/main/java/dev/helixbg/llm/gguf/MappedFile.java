package dev.helixbg.llm.gguf;

import com.sun.management.OperatingSystemMXBean;
import dev.helixbg.config.faults.MappingGuard;
import dev.helixbg.config.files.FileState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file mapped into memory, read-only, until {@link #close}.
 *
 * <p>Another program may shorten the file, or write to it, while its bytes are read. On Linux a
 * {@link MappingGuard} then lets reads go on with zeros; elsewhere they throw an {@code
 * InternalError}, or end the process. So {@link #requireUnchanged} is asked after the bytes were
 * used, and what came of them counts only if it returns.
 */
public final class MappedFile implements AutoCloseable {
  /** The embedding model and the JVM leave that much on any machine that they run on. */
  private static final long SURELY_FITS = 1L << 30;

  private final Path path;

  /** Before it was opened. */
  private final FileState state;

  /** Tells the file's size; unlike a channel, an interrupted thread does not close it. */
  private final RandomAccessFile handle;

  private final Arena arena;
  private final MemorySegment bytes;
  private final Optional<MappingGuard> guard;

  private MappedFile(
      Path path, FileState state, RandomAccessFile handle, Arena arena, MemorySegment bytes) {
    this.path = path;
    this.state = state;
    this.handle = handle;
    this.arena = arena;
    this.bytes = bytes;
    guard = MappingGuard.of(bytes);
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
      FileState state = FileState.of(path);
      handle = new RandomAccessFile(path.toFile(), "r");
      MemorySegment bytes = handle.getChannel().map(MapMode.READ_ONLY, 0, handle.length(), arena);
      return new MappedFile(path, state, handle, arena, bytes);
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

  /** Ends when the file is closed. */
  public Arena arena() {
    return arena;
  }

  /**
   * Whether all of it is worth touching before it is used, so that later use does not wait for the
   * disk page by page. Of a file that leaves no memory for anything else, the first pages would be
   * gone again before the last were there.
   */
  public boolean fitsMemory() {
    // Asking for the memory's size takes a young process some ten milliseconds.
    return fits(bytes.byteSize() <= SURELY_FITS ? Long.MAX_VALUE : memory());
  }

  boolean fits(long memory) {
    return bytes.byteSize() <= memory / 4 * 3;
  }

  /** Returns the memory of the machine, or of the container. */
  private static long memory() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getTotalMemorySize();
  }

  /**
   * Checks that the file still has all the bytes that were mapped; costs a microsecond.
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
    if (guard.isPresent() && guard.get().isFaulted()) {
      throw error("the file could not be read while in use; load the model again");
    }
  }

  /**
   * Checks that the file is as it was when it was opened, by size, times and inode.
   *
   * @throws GgufException if it was shortened, written to, replaced or removed since
   */
  public void requireUnchanged() {
    // Asked first: a file that is shortened in between is then reported as shortened.
    boolean changed = isChanged();
    requireWhole();
    if (changed) {
      throw error(
          "the file was changed, replaced or removed while in use; what was computed is thrown"
              + " away: load the model again");
    }
  }

  /** Whether the file at the path is no longer the one that was opened. */
  public boolean isChanged() {
    try {
      return !FileState.of(path).equals(state);
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() {
    guard.ifPresent(MappingGuard::close);
    release(handle, arena);
  }
}
