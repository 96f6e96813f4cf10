package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;

/**
 * The launchd agent, as launchd.plist(5) describes it, and where launchd keeps it.
 *
 * <p>There is no {@code ProcessType}: {@code Background} would starve work on the GPU. {@code Nice}
 * and {@code LowPriorityIO} keep the daemon out of the way instead.
 */
public final class LaunchdPlist {
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

  /**
   * The domain that has the service, else the one that is there: {@code gui/UID} while the user is
   * logged in at the screen, else {@code user/UID}, as over SSH.
   *
   * @throws Failure with {@link ExitCode#WRITE} when there is neither
   */
  public static String domain(long uid) throws InterruptedException {
    List<String> domains = List.of("gui/" + uid, "user/" + uid);
    for (String inDomain : List.of("/" + ServiceSpec.LABEL, "")) {
      for (String domain : domains) {
        if (isThere(domain + inDomain)) {
          return domain;
        }
      }
    }
    throw new Failure(
        ExitCode.WRITE,
        "launchd has neither %s nor %s: log in at the screen once, or start the daemon by hand"
            .formatted(domains.getFirst(), domains.getLast()));
  }

  private static boolean isThere(String target) throws InterruptedException {
    return ServiceStep.ended("launchctl", "print", target).code() == 0;
  }
}
