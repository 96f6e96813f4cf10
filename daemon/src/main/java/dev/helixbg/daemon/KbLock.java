package dev.helixbg.daemon;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a second helix-bg away from the files that this one is writing. The kernel drops the lock
 * with the process, however it ends, so that it never has to be cleaned up.
 *
 * <p>It is a lock among helix-bg processes only, on a file of their own: helix never waits for it.
 * helix's own {@code .lock} is left alone; a reader that tolerates torn tails does not need it.
 */
final class KbLock implements AutoCloseable {
  /** Whoever only saves a few lines has soon done so. */
  private static final long PATIENCE_NANOS = 1_000_000_000;

  /**
   * Files locked by this process. The kernel drops all locks of a process on a file when any
   * channel to it is closed; so none is opened in vain.
   */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private KbLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Waits a second for it, if need be.
   *
   * @throws Failure {@link ExitCode#BUSY} when another process has it, {@link ExitCode#WRITE} when
   *     the folder cannot be written, {@link ExitCode#KB} when there is no KB any more
   */
  static KbLock take(Kb kb) {
    long start = System.nanoTime();
    while (true) {
      Optional<KbLock> lock = tryTake(kb);
      if (lock.isPresent()) {
        return lock.get();
      }
      boolean interrupted = Thread.currentThread().isInterrupted();
      if (interrupted || System.nanoTime() - start > PATIENCE_NANOS) {
        throw new Failure(
            ExitCode.BUSY,
            "another helix-bg is at work on " + kb.folder() + "; try again when it has finished");
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private static Optional<KbLock> tryTake(Kb kb) {
    Path file = kb.insights().resolve(".helix-bg.lock");
    if (!OURS.add(file)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    FileLock lock = null;
    try {
      kb.makeInsights();
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock = channel.tryLock();
      return lock == null ? Optional.empty() : Optional.of(new KbLock(file, channel));
    } catch (OverlappingFileLockException e) {
      return Optional.empty(); // held by this process under another name of the folder
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          "cannot write "
              + kb.insights()
              + ": "
              + Reasons.of(e)
              + ". helix-bg keeps its reports there; make it writable, or look without writing:"
              + " --no-report");
    } finally {
      if (lock == null) {
        close(channel);
        OURS.remove(file);
      }
    }
  }

  private static void close(FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // nothing was written through it
    }
  }

  @Override
  public void close() {
    close(channel);
    OURS.remove(file);
  }
}
