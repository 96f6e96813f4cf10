package dev.helixbg.daemon.link;

import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
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
public record DaemonHome(Path folder) {

  /** That of the user whose locations these are. */
  public static DaemonHome of(UserDirectories locations) {
    return new DaemonHome(locations.home().resolve(".helix"));
  }

  public Path socket() {
    return folder.resolve("helix-bg.sock");
  }

  public Path logs() {
    return folder.resolve("logs");
  }

  public Path logFile() {
    return logs().resolve("helix-bg.log");
  }

  /** What the service says on stderr. */
  public Path serviceErrors() {
    return logs().resolve("service.err");
  }

  /** When the user was last told of findings, and of which. */
  public Path notices() {
    return folder.resolve("notices.json");
  }

  public Path across() {
    return folder.resolve("across");
  }

  /**
   * The lock by which a second daemon finds the first; the kernel drops it with the process.
   *
   * @throws Failure {@link ExitCode#BUSY} when another daemon runs, {@link ExitCode#WRITE} when the
   *     folder cannot be written
   */
  public ProcessLock lock() {
    Path file = folder.resolve("helix-bg.lock");
    try {
      PrivateFiles.makeFolders(folder);
      return ProcessLock.take(file, Duration.ZERO)
          .orElseThrow(
              () ->
                  new Failure(
                      ExitCode.BUSY,
                      "a helix-bg daemon is running already; see: helix-bg status, helix-bg"
                          + " stop"));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write " + file, e, "Make it writable");
    }
  }
}
