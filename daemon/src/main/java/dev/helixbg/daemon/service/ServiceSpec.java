package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How the daemon is started as a service. Every path is absolute: a service manager has no shell.
 *
 * @param home of the user
 * @param launcher of the installation
 * @param request what the user asked for
 * @param writable folders that the daemon writes to
 * @param stderr the file that gets what the daemon says when it cannot log
 */
public record ServiceSpec(
    Path home, Path launcher, ServiceRequest request, List<Path> writable, Path stderr) {

  /** The name by which launchd and its plist know the service. */
  public static final String LABEL = "dev.helixbg.daemon";

  public static final String UNIT = "helix-bg.service";

  /** Tells launcher and program which service manager started them. */
  public static final String STARTED_BY = "HELIX_BG_LAUNCHER_SERVICE";

  static final String LAUNCHD = "launchd";
  static final String SYSTEMD = "systemd";

  /** Exit codes after which a restart is of no use: settings, knowledge base, second instance. */
  static final List<ExitCode> FINAL = List.of(ExitCode.USAGE, ExitCode.KB, ExitCode.BUSY);

  /**
   * @throws Failure with {@link ExitCode#USAGE} for control characters, which could end a line of a
   *     unit
   */
  public ServiceSpec {
    for (String text : texts(home, launcher, request, writable, stderr)) {
      if (text.chars().anyMatch(Character::isISOControl)) {
        throw Failure.usage("a service cannot be given control characters, as in: " + text);
      }
    }
  }

  private static List<String> texts(
      Path home, Path launcher, ServiceRequest request, List<Path> writable, Path stderr) {
    List<String> texts = new ArrayList<>(request.arguments());
    request.environment().forEach((name, value) -> texts.add(name + "=" + value));
    writable.forEach(folder -> texts.add(folder.toString()));
    texts.addAll(List.of(home.toString(), launcher.toString(), stderr.toString()));
    return texts;
  }

  /**
   * The exit code as a service manager is to see it. launchd knows success and failure only, and
   * starts again after a failure; so what is final counts as success there. Its reason is in {@link
   * #stderr}.
   *
   * @param manager the value of {@link #STARTED_BY}; null when there is none
   */
  public static int exitCode(int code, String manager) {
    boolean isFinal = FINAL.stream().anyMatch(one -> one.number() == code);
    return LAUNCHD.equals(manager) && isFinal ? ExitCode.OK.number() : code;
  }

  /** Arguments for the launcher. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("daemon"));
    arguments.addAll(request.arguments());
    return arguments;
  }

  /** Variables to be set by this service manager. */
  Map<String, String> environment(String manager) {
    Map<String, String> variables = new TreeMap<>(request.environment());
    variables.put(STARTED_BY, manager);
    return variables;
  }
}
