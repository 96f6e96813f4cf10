package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.util.List;

/**
 * Property list of the launchd agent (see launchd.plist(5)). {@code ProcessType} {@code Background}
 * would slow down work on the GPU, so {@code Nice} and {@code LowPriorityIO} lower the priority.
 */
public final class LaunchdPlist {
  private LaunchdPlist() {}

  /** Returns the property list. Logins over SSH need the session type Background. */
  static String of(ServiceSpec spec) {
    StringBuilder arguments = new StringBuilder();
    spec.request()
        .arguments()
        .forEach(argument -> arguments.append("    ").append(string(argument)));
    StringBuilder environment = new StringBuilder();
    spec.environment(ServiceSpec.LAUNCHD)
        .forEach(
            (name, value) ->
                environment.append(
                    "    <key>%s</key>\n    %s".formatted(escaped(name), string(value))));
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
   * Returns the launchd domain of the service. If the service is not installed yet, returns {@code
   * gui/UID} while the user is logged in at the screen, and otherwise (for example over SSH) {@code
   * user/UID}. Fails if neither domain exists.
   */
  public static String domain(long uid) throws InterruptedException {
    List<String> domains = List.of("gui/" + uid, "user/" + uid);
    for (String inDomain : List.of("/" + ServiceSpec.LABEL, "")) {
      for (String domain : domains) {
        if (ServiceStep.ended("launchctl", "print", domain + inDomain).code() == 0) {
          return domain;
        }
      }
    }
    throw new Failure(
        ExitCode.WRITE,
        ("launchd has no domain %s or %s: log in once at this Mac's screen, or start the daemon by"
                + " hand")
            .formatted(domains.getFirst(), domains.getLast()));
  }
}
