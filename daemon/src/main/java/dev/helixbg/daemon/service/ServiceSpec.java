package dev.helixbg.daemon.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the daemon is started as a service. Every path is absolute: a service manager has no shell.
 *
 * @param home of the user
 * @param java the executable
 * @param javaOptions of the JVM
 * @param jar the program
 * @param kbs knowledge bases; may be empty for the usual one
 * @param writable folders that the daemon writes to
 * @param logs folder of the files that stdout and stderr go to
 * @param environment variables that are to be set
 */
public record ServiceSpec(
    Path home,
    Path java,
    List<String> javaOptions,
    Path jar,
    List<Path> kbs,
    List<Path> writable,
    Path logs,
    Map<String, String> environment) {

  /** The name by which launchd and its plist know the service. */
  public static final String LABEL = "dev.helixbg.daemon";

  /** The name of the systemd unit. */
  public static final String UNIT = "helix-bg.service";

  /** Executable and arguments. */
  List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(javaOptions);
    command.add("-jar");
    command.add(jar.toString());
    command.add("daemon");
    kbs.forEach(kb -> command.add(kb.toString()));
    return command;
  }
}
