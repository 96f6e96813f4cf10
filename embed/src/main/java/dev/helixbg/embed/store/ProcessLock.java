package dev.helixbg.embed.store;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock among processes, and the threads of one, on a file of its own that holds nothing. The
 * kernel drops it with the process, however that ends, so that it never has to be cleaned up.
 */
public final class ProcessLock implements AutoCloseable {
  private static final long LOOK_AGAIN_NANOS = 20_000_000;

  /**
   * Files locked by this process, in real folders. The kernel drops all locks of a process on a
   * file when any channel to it is closed; so none is opened in vain.
   */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private ProcessLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Waits for it, if need be, but not when interrupted.
   *
   * @param file is made, its folder is not
   * @return empty when another holder has had it all the time
   * @throws IOException when the file cannot be written
   */
  public static Optional<ProcessLock> take(Path file, Duration patience) throws IOException {
    long start = System.nanoTime();
    while (true) {
      Optional<ProcessLock> lock = tryTake(file);
      if (lock.isPresent()
          || Thread.currentThread().isInterrupted()
          || System.nanoTime() - start >= patience.toNanos()) {
        return lock;
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  private static Optional<ProcessLock> tryTake(Path named) throws IOException {
    Path file = named.toAbsolutePath().getParent().toRealPath().resolve(named.getFileName());
    if (!OURS.add(file)) {
      return Optional.empty();
    }
    FileLock lock = null;
    FileChannel channel = null;
    try {
      channel = PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock = channel.tryLock();
      return lock == null ? Optional.empty() : Optional.of(new ProcessLock(file, channel));
    } catch (OverlappingFileLockException e) {
      return Optional.empty(); // held by this process by way of another mount
    } finally {
      if (lock == null) {
        release(file, channel);
      }
    }
  }

  private static void release(Path file, FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // nothing was written through it
    } finally {
      OURS.remove(file);
    }
  }

  @Override
  public void close() {
    release(file, channel);
  }
}
