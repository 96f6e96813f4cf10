package dev.helixbg.daemon;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps a second helix-bg away from the files that this one is writing. The kernel drops the lock
 * with the process, however it ends, so that it never has to be cleaned up.
 *
 * <p>It is a lock among helix-bg processes only, on a file of their own: helix never waits for it.
 * helix's own {@code .lock} is left alone; a reader that tolerates torn tails does not need it.
 */
final class KbLock implements AutoCloseable {
  private final FileChannel channel;

  private KbLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * @throws Failure {@link ExitCode#BUSY} when another process has it, {@link ExitCode#WRITE} when
   *     the folder cannot be written
   */
  static KbLock take(Kb kb) {
    Path file = kb.insights().resolve(".helix-bg.lock");
    FileChannel channel = null;
    try {
      Files.createDirectories(kb.insights());
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new KbLock(channel);
      }
    } catch (OverlappingFileLockException e) {
      // held by another thread of this process: busy as well
    } catch (IOException e) {
      close(channel);
      throw new Failure(
          ExitCode.WRITE,
          "cannot write "
              + kb.insights()
              + ": "
              + Reasons.of(e)
              + ". helix-bg keeps its reports there; make it writable, or look without writing:"
              + " --no-report");
    }
    close(channel);
    throw new Failure(
        ExitCode.BUSY,
        "another helix-bg is at work on " + kb.folder() + "; try again when it has finished");
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
  }
}
