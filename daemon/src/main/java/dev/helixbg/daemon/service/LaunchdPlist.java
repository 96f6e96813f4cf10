package dev.helixbg.daemon.service;

/**
 * The launchd agent, as launchd.plist(5) describes it.
 *
 * <p>There is no {@code ProcessType}: {@code Background} would starve work on the GPU. {@code Nice}
 * and {@code LowPriorityIO} keep the daemon out of the way instead.
 */
final class LaunchdPlist {
  private LaunchdPlist() {}

  /** In its session types, Background is for logins over SSH: user/UID has no other. */
  static String of(ServiceSpec spec) {
    StringBuilder arguments = new StringBuilder();
    spec.arguments().forEach(argument -> arguments.append("    ").append(string(argument)));
    StringBuilder environment = new StringBuilder();
    spec.environment(ServiceSpec.LAUNCHD)
        .forEach(
            (name, value) ->
                environment
                    .append("    <key>%s</key>\n    ".formatted(escaped(name)))
                    .append(string(value)));
    return """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>%s</string>
      <key>ProgramArguments</key>
      <array>
        %s%s  </array>
      <key>LimitLoadToSessionType</key>
      <array>
        <string>Aqua</string>
        <string>Background</string>
      </array>
      <key>RunAtLoad</key>
      <true/>
      <key>KeepAlive</key>
      <dict>
        <key>SuccessfulExit</key>
        <false/>
      </dict>
      <key>ThrottleInterval</key>
      <integer>30</integer>
      <key>ExitTimeOut</key>
      <integer>5</integer>
      <key>Nice</key>
      <integer>10</integer>
      <key>LowPriorityIO</key>
      <true/>
      <key>WorkingDirectory</key>
      %s  <key>EnvironmentVariables</key>
      <dict>
    %s  </dict>
      <key>StandardErrorPath</key>
      %s</dict>
    </plist>
    """
        .formatted(
            ServiceSpec.LABEL,
            string(spec.launcher().toString()),
            arguments,
            string(spec.home().toString()),
            environment,
            string(spec.stderr().toString()));
  }

  private static String string(String text) {
    return "<string>" + escaped(text) + "</string>\n";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
