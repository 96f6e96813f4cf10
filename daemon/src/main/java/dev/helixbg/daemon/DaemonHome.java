package dev.helixbg.daemon;

import dev.helixbg.config.Locations;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Where the one daemon of a user keeps what is its own.
 *
 * @param folder {@code ~/.helix}
 */
record DaemonHome(Path folder) {

  static DaemonHome of(Locations locations) {
    return new DaemonHome(locations.home().resolve(".helix"));
  }

  Path socket() {
    return folder.resolve("helix-bg.sock");
  }

  Path logs() {
    return folder.resolve("logs");
  }

  Path logFile() {
    return logs().resolve("helix-bg.log");
  }

  /** The report across knowledge bases. */
  Path across() {
    return folder.resolve("across");
  }

  /**
   * The lock by which a second daemon finds the first; the kernel drops it with the process.
   *
   * @throws Failure {@link ExitCode#BUSY} when another daemon runs, {@link ExitCode#WRITE} when the
   *     folder cannot be written
   */
  KbFiles.Lock lock() {
    Path file = folder.resolve("helix-bg.lock");
    FileChannel channel = null;
    try {
      Files.createDirectories(folder);
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        FileChannel held = channel;
        return () -> close(held);
      }
    } catch (OverlappingFileLockException e) {
      // held by another thread of this process: busy as well
    } catch (IOException e) {
      close(channel);
      throw new Failure(
          ExitCode.WRITE, "cannot write " + file + ": " + Reasons.of(e) + ". Make it writable");
    }
    close(channel);
    throw new Failure(
        ExitCode.BUSY, "a helix-bg daemon is running already; see: helix-bg status, helix-bg stop");
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
}
