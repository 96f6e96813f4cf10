package dev.helixbg.daemon.link;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

public record DaemonHome(Path folder) {

  public static DaemonHome of(UserDirectories locations) {
    return new DaemonHome(locations.home().resolve(".helix"));
  }

  /** Returns the control socket's path: in {@code folder}, or elsewhere if that is too long. */
  public Path socket() {
    Path usual = folder.resolve("helix-bg.sock");
    if (ControlServer.fits(usual)) {
      return usual;
    }
    String name = "helix-bg-" + Sha256.of(List.of(folder.toString())).substring(0, 12);
    try {
      Path home = folder;
      while (Files.notExists(home)) {
        home = home.getParent();
      }
      Path own = shortFolder(home).resolve(name);
      if (Files.exists(own, LinkOption.NOFOLLOW_LINKS)
          && !Files.getOwner(own, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(home))) {
        throw new IOException(own + " belongs to another user");
      }
      return own.resolve("helix-bg.sock");
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "find a short enough path for the control socket: the path of " + folder + " is too long",
          e,
          "Set HOME to a shorter folder");
    }
  }

  /** Returns a folder with a short path, which the service and commands at a terminal both find. */
  private static Path shortFolder(Path home) throws IOException {
    if (Files.getFileStore(home).supportsFileAttributeView("unix")) {
      Path run = Path.of("/run/user/" + Files.getAttribute(home, "unix:uid"));
      if (Files.isWritable(run)) {
        return run;
      }
    }
    return Path.of(System.getProperty("java.io.tmpdir"));
  }

  public Path logs() {
    return folder.resolve("logs");
  }

  public Path logFile() {
    return logs().resolve("helix-bg.log");
  }

  public Path serviceErrors() {
    return logs().resolve("service.err");
  }

  /** Takes the lock that prevents a second daemon, until the process ends. */
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
