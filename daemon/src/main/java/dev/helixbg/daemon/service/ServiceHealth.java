package dev.helixbg.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.CheckLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Checks whether the service is installed and runs the present installation. */
public final class ServiceHealth {
  private static final String NAME = "service";

  private ServiceHealth() {}

  /** Returns the check's result; {@code file} is the file that the service manager reads. */
  public static CheckLine check(Path file, DaemonHome home, Optional<Installation> program) {
    if (Files.notExists(file)) {
      return CheckLine.ok(
          NAME, "not installed; 'helix-bg service install' makes it start at each login");
    }
    Optional<JsonNode> status = new DaemonLink(home).status();
    if (status.isPresent()) {
      return running(status.get(), program);
    }
    if (program.isEmpty()) {
      return CheckLine.problem(
          NAME,
          "the program of the service no longer exists",
          "install helix-bg, then run: helix-bg service install");
    }
    Optional<String> said = lastError(home);
    return said.isPresent()
        ? CheckLine.problem(
            NAME,
            "the service has ended; its last message: " + said.get(),
            "correct the cause, then run: helix-bg service start")
        : CheckLine.note(NAME, "installed, but not running", "helix-bg service restart");
  }

  private static CheckLine running(JsonNode status, Optional<Installation> program) {
    long process = status.path("pid").asLong();
    if (!status.path("service").asBoolean()) {
      return CheckLine.note(
          NAME,
          "not running, because a daemon was started by hand: process " + process,
          "helix-bg stop; helix-bg service start");
    }
    String runs = status.path("program").asText();
    return program.isPresent() && !isOf(program.get(), runs)
        ? CheckLine.note(
            NAME,
            "runs " + runs + ", which does not belong to the present installation",
            "helix-bg service restart")
        : CheckLine.ok(NAME, "runs %s, process %d".formatted(runs, process));
  }

  private static boolean isOf(Installation program, String jar) {
    try {
      return Path.of(jar).toRealPath().startsWith(program.root().toRealPath());
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Returns the last line of the service's error file. Empty if the daemon's log is newer. The
   * daemon was then stopped, because a stopping daemon writes to its log last.
   */
  static Optional<String> lastError(DaemonHome home) {
    try {
      boolean isLast =
          !Files.exists(home.logFile())
              || Files.getLastModifiedTime(home.serviceErrors())
                      .compareTo(Files.getLastModifiedTime(home.logFile()))
                  > 0;
      return isLast ? ServiceErrorLog.lastLine(home.serviceErrors()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
