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
 * A lock on an empty file, which only one thread of one process can hold. When that process ends or
 * crashes, the kernel releases the lock.
 */
public final class ProcessLock implements AutoCloseable {
  private static final long LOOK_AGAIN_NANOS = 20_000_000;

  /**
   * Files locked by this process, as real paths. They are not opened again: when a process closes
   * any channel to a file, the kernel releases all locks of the process on the file.
   */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private ProcessLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock; waits up to {@code patience}, unless the thread is interrupted.
   *
   * @param file the lock file, which is created if missing; its folder must exist
   * @return the lock; empty if it was held during the whole wait
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
      return Optional.empty(); // this process holds the lock through another mount
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
      // nothing was written through the channel
    } finally {
      OURS.remove(file);
    }
  }

  @Override
  public void close() {
    release(file, channel);
  }
}
