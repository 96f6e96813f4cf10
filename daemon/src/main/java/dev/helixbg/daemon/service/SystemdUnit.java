package dev.helixbg.daemon.service;

import java.util.Map;
import java.util.stream.Collectors;

/** The systemd user unit, as systemd.service(5) and systemd.exec(5) describe it. */
public final class SystemdUnit {
  private SystemdUnit() {}

  public static String of(ServiceSpec spec) {
    StringBuilder unit = new StringBuilder();
    unit.append(
        """
        [Unit]
        Description=helix-bg, a slow second mind for helix knowledge bases
        StartLimitIntervalSec=600
        StartLimitBurst=5

        [Service]
        Type=exec
        """);
    unit.append("ExecStart=")
        .append(spec.command().stream().map(SystemdUnit::word).collect(Collectors.joining(" ")))
        .append('\n');
    for (Map.Entry<String, String> variable : spec.environment().entrySet()) {
      unit.append("Environment=")
          .append(quoted(variable.getKey() + "=" + variable.getValue()))
          .append('\n');
    }
    unit.append(
        """
        Restart=on-failure
        RestartSec=30
        # A JVM that was asked to end by SIGTERM says so.
        SuccessExitStatus=143
        # Settings or a knowledge base that are wrong do not get right by starting again.
        RestartPreventExitStatus=2 3 4
        TimeoutStopSec=5
        Nice=10
        IOSchedulingClass=idle
        CPUWeight=20
        NoNewPrivileges=yes
        ProtectSystem=strict
        PrivateTmp=yes
        RestrictAddressFamilies=AF_UNIX
        """);
    spec.writable()
        .forEach(
            folder ->
                // With a minus: a folder that is not there yet is no reason not to start.
                unit.append("ReadWritePaths=").append(quoted("-" + folder)).append('\n'));
    unit.append(
        """

        [Install]
        WantedBy=default.target
        """);
    return unit.toString();
  }

  /** An argument of ExecStart: specifiers and variables are not to be expanded. */
  private static String word(String text) {
    String plain = quoted(text).replace("$", "$$");
    return plain.equals('"' + text + '"') && text.matches("[A-Za-z0-9_./:=+,-]+") ? text : plain;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("%", "%%") + '"';
  }
}
