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
 * {@link MappingGuard} then makes reads past the new end return zeros; elsewhere these reads throw
 * an {@code InternalError}, or end the process. The caller must therefore call {@link
 * #requireUnchanged} after a computation, and discard the computation's result if that method
 * throws an exception.
 */
public final class MappedFile implements AutoCloseable {
  private final Path path;

  private final FileState state;
  private final Arena arena;
  private final MemorySegment bytes;
  private final Optional<MappingGuard> guard;

  private MappedFile(Path path, FileState state, Arena arena, MemorySegment bytes) {
    this.path = path;
    this.state = state;
    this.arena = arena;
    this.bytes = bytes;
    guard = MappingGuard.of(bytes);
  }

  /**
   * @throws GgufException if the file cannot be read
   */
  public static MappedFile open(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw error(path, "this is not a regular file");
    }
    // The arena is shared, since worker threads read the weights.
    Arena arena = Arena.ofShared();
    try {
      FileState state = FileState.of(path);
      // The exceptions of FileChannel.open would not say why a file cannot be read.
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
        MemorySegment bytes = file.getChannel().map(MapMode.READ_ONLY, 0, file.length(), arena);
        return new MappedFile(path, state, arena, bytes);
      }
    } catch (IOException e) {
      arena.close();
      String what = Files.exists(path) ? "cannot be read: " + e.getMessage() : "no such file";
      throw error(path, what);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  private static GgufException error(Path path, String what) {
    return new GgufException(path.toString(), what, GgufException.NO_OFFSET, "");
  }

  public GgufException error(String what) {
    return error(path, what);
  }

  Path path() {
    return path;
  }

  public MemorySegment bytes() {
    return bytes;
  }

  /** Returns an arena that closes with the file. */
  public Arena arena() {
    return arena;
  }

  /**
   * Returns whether the file should be read into memory before use, so that later reads do not wait
   * for the disk. A file larger than three quarters of the memory would evict its own first pages.
   */
  public boolean fitsMemory() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return bytes.byteSize() <= system.getTotalMemorySize() / 4 * 3;
  }

  /**
   * Checks that the file is unchanged since it was opened, and that every read of it succeeded. The
   * check takes a few microseconds.
   *
   * @throws GgufException if the file was shortened, written to, replaced or removed, or could not
   *     be read
   */
  public void requireUnchanged() {
    // Comes before isChanged(): if a read failed because the file was shortened, isChanged() then
    // notices the change.
    boolean faulted = guard.isPresent() && guard.get().isFaulted();
    if (isChanged()) {
      throw error(
          "the file was changed, replaced or removed while it was in use; the results are"
              + " discarded: load the model again");
    }
    if (faulted) {
      throw error("the file became unreadable while it was in use; load the model again");
    }
  }

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
    arena.close();
  }
}
