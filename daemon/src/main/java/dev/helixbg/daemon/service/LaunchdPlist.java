package dev.helixbg.daemon.service;

import java.util.Map;

/**
 * The launchd agent, as launchd.plist(5) describes it.
 *
 * <p>There is no {@code ProcessType}: {@code Background} would starve work on the GPU. {@code Nice}
 * and {@code LowPriorityIO} keep the daemon out of the way instead.
 */
public final class LaunchdPlist {
  private static final int THROTTLE_SECONDS = 30;
  private static final int EXIT_SECONDS = 5;
  private static final int NICE = 10;

  private final StringBuilder out = new StringBuilder();

  private LaunchdPlist() {}

  public static String of(ServiceSpec spec) {
    return new LaunchdPlist().plist(spec);
  }

  private String plist(ServiceSpec spec) {
    out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.append("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\"");
    out.append(" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n");
    out.append("<plist version=\"1.0\">\n<dict>\n");
    key("Label").string(1, ServiceSpec.LABEL);
    key("ProgramArguments").line(1, "<array>");
    string(2, spec.launcher().toString());
    spec.arguments().forEach(argument -> string(2, argument));
    line(1, "</array>");
    // Background: a login over SSH, whose domain is user/UID, has no other sessions.
    key("LimitLoadToSessionType").line(1, "<array>");
    string(2, "Aqua").string(2, "Background").line(1, "</array>");
    key("RunAtLoad").line(1, "<true/>");
    key("KeepAlive").line(1, "<dict>");
    line(2, "<key>SuccessfulExit</key>").line(2, "<false/>");
    line(1, "</dict>");
    key("ThrottleInterval").line(1, "<integer>" + THROTTLE_SECONDS + "</integer>");
    key("ExitTimeOut").line(1, "<integer>" + EXIT_SECONDS + "</integer>");
    key("Nice").line(1, "<integer>" + NICE + "</integer>");
    key("LowPriorityIO").line(1, "<true/>");
    key("WorkingDirectory").string(1, spec.home().toString());
    key("EnvironmentVariables").line(1, "<dict>");
    for (Map.Entry<String, String> variable : spec.environment(ServiceSpec.LAUNCHD).entrySet()) {
      line(2, "<key>" + escaped(variable.getKey()) + "</key>").string(2, variable.getValue());
    }
    line(1, "</dict>");
    key("StandardErrorPath").string(1, spec.stderr().toString());
    out.append("</dict>\n</plist>\n");
    return out.toString();
  }

  private LaunchdPlist key(String name) {
    return line(1, "<key>" + name + "</key>");
  }

  private LaunchdPlist string(int depth, String text) {
    return line(depth, "<string>" + escaped(text) + "</string>");
  }

  private LaunchdPlist line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
    return this;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
