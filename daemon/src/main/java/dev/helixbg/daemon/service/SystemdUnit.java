package dev.helixbg.daemon.service;

import java.util.stream.Collectors;

/** The systemd user unit (see systemd.service(5) and systemd.exec(5)). */
final class SystemdUnit {
  private SystemdUnit() {}

  static String of(ServiceSpec spec) {
    StringBuilder unit = new StringBuilder();
    unit.append(
        """
        [Unit]
        Description=helix-bg, a slow second mind for helix knowledge bases
        StartLimitIntervalSec=600
        StartLimitBurst=5
        # If helix-bg is removed but this file stays, logins must not report a failure.
        ConditionFileIsExecutable=%s

        [Service]
        Type=exec
        """
            .formatted(specifiersEscaped(spec.launcher().toString())));
    unit.append("ExecStart=").append(quoted(spec.launcher().toString()));
    for (String argument : spec.request().arguments()) {
      // Prevents expansion of variables in arguments; systemd expands none in the program's path.
      unit.append(' ').append(quoted(argument).replace("$", "$$"));
    }
    unit.append('\n');
    spec.environment(ServiceSpec.SYSTEMD)
        .forEach(
            (name, value) ->
                unit.append("Environment=").append(quoted(name + "=" + value)).append('\n'));
    unit.append(
        """
        Restart=on-failure
        RestartSec=30
        # A JVM that SIGTERM ended exits with this status.
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
        """
            .formatted(
                ServiceSpec.FINAL.stream()
                    .map(code -> Integer.toString(code.number()))
                    .collect(Collectors.joining(" ")),
                specifiersEscaped(spec.stderr().toString())));
    spec.writable()
        .forEach(
            folder ->
                // The minus lets the service start even if the folder does not exist yet.
                unit.append("ReadWritePaths=").append(quoted("-" + folder)).append('\n'));
    unit.append(
        """

        [Install]
        WantedBy=default.target
        """);
    return unit.toString();
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
