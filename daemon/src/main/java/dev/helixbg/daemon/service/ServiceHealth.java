package dev.helixbg.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.CheckLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the service is: installed, of this version, running, and what it said last. */
public final class ServiceHealth {
  private static final String NAME = "service";

  /** The program that the file of a service manager starts, in either of the two formats. */
  private static final Pattern PROGRAM =
      Pattern.compile(
          "^ExecStart=(?:\"([^\"]*)\"|(\\S+))|<key>ProgramArguments</key>\\s*<array>\\s*"
              + "<string>([^<]*)</string>",
          Pattern.MULTILINE);

  private ServiceHealth() {}

  /**
   * @param file what the service manager reads
   */
  public static CheckLine check(Path file, DaemonHome home) {
    Optional<Path> program = program(file);
    if (program.isEmpty()) {
      return CheckLine.ok(
          NAME, "not installed; 'helix-bg service install' lets it run from login on");
    }
    Path launcher = program.get();
    if (!launcher.endsWith("bin/helix-bg")) {
      return CheckLine.problem(
          NAME, file + " was written by an older helix-bg", "helix-bg service install");
    }
    if (!Files.isExecutable(launcher)) {
      return CheckLine.problem(
          NAME, launcher + " is not there any more", "helix-bg service install");
    }
    Optional<JsonNode> status = new DaemonLink(home).status();
    String said =
        ServiceErrorLog.lastLine(home.serviceErrors())
            .map(line -> "; it last said: " + line)
            .orElse("");
    if (status.isEmpty()) {
      return failed(home)
          ? CheckLine.problem(NAME, "it has ended" + said, "mend that; helix-bg service start")
          : CheckLine.note(NAME, "installed, but not running", "helix-bg service start");
    }
    if (!status.get().path("service").asBoolean()) {
      return CheckLine.note(
          NAME,
          "not running, since a daemon was started by hand: process "
              + status.get().path("pid").asLong(),
          "helix-bg stop; helix-bg service start");
    }
    String running = status.get().path("program").asText();
    if (!isOf(launcher, running)) {
      return CheckLine.note(
          NAME,
          "runs " + running + ", which is no longer the one that is installed",
          "helix-bg service restart");
    }
    return CheckLine.ok(
        NAME, "runs %s, process %d%s".formatted(running, status.get().path("pid").asLong(), said));
  }

  private static Optional<Path> program(Path file) {
    try {
      Matcher matcher = PROGRAM.matcher(Files.readString(file));
      if (!matcher.find()) {
        return Optional.of(Path.of(""));
      }
      String quoted = matcher.group(1);
      String text =
          quoted != null
              ? quoted.replace("%%", "%").replace("\\\\", "\\")
              : matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
      return Optional.of(
          Path.of(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")));
    } catch (IOException | IllegalArgumentException e) {
      return Files.exists(file) ? Optional.of(Path.of("")) : Optional.empty();
    }
  }

  private static boolean isOf(Path launcher, String jar) {
    try {
      Path root = launcher.toRealPath().getParent().getParent();
      return Path.of(jar).toRealPath().startsWith(root);
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * A daemon that ended as it was told to wrote so into its log, after its last words on stderr.
   */
  private static boolean failed(DaemonHome home) {
    try {
      return ServiceErrorLog.lastLine(home.serviceErrors()).isPresent()
          && (!Files.exists(home.logFile())
              || Files.getLastModifiedTime(home.serviceErrors())
                      .compareTo(Files.getLastModifiedTime(home.logFile()))
                  > 0);
    } catch (IOException e) {
      return false;
    }
  }
}
