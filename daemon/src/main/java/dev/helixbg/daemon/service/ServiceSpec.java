package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The daemon as a service. All paths are absolute, since a service manager has no shell.
 *
 * @param home home folder of the user
 * @param writable folders that the daemon writes to
 * @param stderr file for the daemon's error output
 */
public record ServiceSpec(
    Path home, Path launcher, ServiceRequest request, List<Path> writable, Path stderr) {

  /** Name of the service in launchd and in its property list. */
  public static final String LABEL = "dev.helixbg.daemon";

  public static final String UNIT = "helix-bg.service";

  /** Environment variable that names the service manager that started the program. */
  public static final String STARTED_BY = "HELIX_BG_LAUNCHER_SERVICE";

  static final String LAUNCHD = "launchd";
  static final String SYSTEMD = "systemd";

  /** Exit codes after which a restart cannot help. */
  static final List<ExitCode> FINAL = List.of(ExitCode.USAGE, ExitCode.KB, ExitCode.BUSY);

  /** Fails if a text has control characters, which could end a line of a unit file. */
  public ServiceSpec {
    List<String> texts = new ArrayList<>(request.arguments());
    request.environment().forEach((name, value) -> texts.add(name + "=" + value));
    writable.forEach(folder -> texts.add(folder.toString()));
    texts.addAll(List.of(home.toString(), launcher.toString(), stderr.toString()));
    for (String text : texts) {
      if (text.chars().anyMatch(Character::isISOControl)) {
        throw Failure.usage(
            "the arguments, variables and paths of a service must not contain control characters,"
                + " but this text does: "
                + text);
      }
    }
  }

  /**
   * Returns the exit code for a service manager. launchd restarts after any failure, so it gets
   * {@link ExitCode#OK} where a restart cannot help. {@code manager} is the value of {@link
   * #STARTED_BY}, or null.
   */
  public static int exitCode(int code, String manager) {
    boolean isFinal = FINAL.stream().anyMatch(one -> one.number() == code);
    return LAUNCHD.equals(manager) && isFinal ? ExitCode.OK.number() : code;
  }

  Map<String, String> environment(String manager) {
    Map<String, String> variables = new TreeMap<>(request.environment());
    variables.put(STARTED_BY, manager);
    return variables;
  }
}
