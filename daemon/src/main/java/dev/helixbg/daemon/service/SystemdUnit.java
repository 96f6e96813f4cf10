package dev.helixbg.daemon.service;

import java.util.stream.Collectors;

/** The systemd user unit (see systemd.service(5) and systemd.exec(5)). */
final class SystemdUnit {
  private SystemdUnit() {}

  static String of(ServiceSpec spec) {
    String arguments =
        spec.request().arguments().stream()
            // Prevents expansion of variables in arguments; systemd expands none in the program's
            // path.
            .map(argument -> " " + quoted(argument).replace("$", "$$"))
            .collect(Collectors.joining());
    String environment =
        spec.environment(ServiceSpec.SYSTEMD).entrySet().stream()
            .map(one -> "Environment=" + quoted(one.getKey() + "=" + one.getValue()) + "\n")
            .collect(Collectors.joining());
    String finalCodes =
        ServiceSpec.FINAL.stream()
            .map(code -> Integer.toString(code.number()))
            .collect(Collectors.joining(" "));
    String writable =
        spec.writable().stream()
            // The minus lets the service start even if the folder does not exist yet.
            .map(folder -> "ReadWritePaths=" + quoted("-" + folder) + "\n")
            .collect(Collectors.joining());
    return """
    [Unit]
    Description=helix-bg, a slow second mind for helix knowledge bases
    StartLimitIntervalSec=600
    StartLimitBurst=5
    # If helix-bg is removed but this file stays, logins must not report a failure.
    ConditionFileIsExecutable=%s

    [Service]
    Type=exec
    ExecStart=%s%s
    %sRestart=on-failure
    RestartSec=30
    # A JVM exits with this status after SIGTERM.
    SuccessExitStatus=143
    # Another start does not help against wrong settings, a missing knowledge base or a second instance.
    RestartPreventExitStatus=%s
    StandardError=append:%s
    TimeoutStopSec=5
    Nice=10
    IOSchedulingClass=idle
    CPUWeight=20
    NoNewPrivileges=yes
    ProtectSystem=strict
    PrivateTmp=yes
    RestrictAddressFamilies=AF_UNIX
    %s
    [Install]
    WantedBy=default.target
    """
        .formatted(
            specifiersEscaped(spec.launcher().toString()),
            quoted(spec.launcher().toString()),
            arguments,
            environment,
            finalCodes,
            specifiersEscaped(spec.stderr().toString()),
            writable);
  }

  /** Returns a text as one word of a line, quoted if needed. */
  private static String quoted(String text) {
    if (text.matches("[A-Za-z0-9_./:=+,-]+")) {
      return text;
    }
    return '"' + specifiersEscaped(text.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
  }

  private static String specifiersEscaped(String text) {
    return text.replace("%", "%%");
  }
}
