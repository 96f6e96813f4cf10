package dev.helixbg.daemon;

import dev.helixbg.config.Locations;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

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
    try {
      PrivateFiles.makeFolders(folder);
      return ProcessLock.take(file, Duration.ZERO)
              .orElseThrow(
                  () ->
                      new Failure(
                          ExitCode.BUSY,
                          "a helix-bg daemon is running already; see: helix-bg status, helix-bg"
                              + " stop"))
          ::close;
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE, "cannot write " + file + ": " + Reasons.of(e) + ". Make it writable");
    }
  }
}
