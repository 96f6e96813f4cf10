package dev.helixbg.daemon.service;

import java.nio.file.Path;
import java.util.List;

/**
 * What one service command does, step by step; shown by {@code --dry-run}, else done.
 *
 * @param steps in order
 */
public record ServicePlan(List<Step> steps) {

  /** One step. */
  public sealed interface Step {}

  /** Writes a file; its folder is made. */
  public record Write(Path file, String content) implements Step {}

  /** Deletes a file, if it is there. */
  public record Delete(Path file) implements Step {}

  /**
   * Runs a command.
   *
   * @param mayFail whether a failure means that the goal was reached before
   */
  public record Run(List<String> command, boolean mayFail) implements Step {}

  /** Tells the user something. */
  public record Say(String words) implements Step {}

  /** What the user wants of the service. */
  public enum Action {
    INSTALL,
    UNINSTALL,
    START,
    STOP,
    RESTART,
    STATUS
  }

  /** For launchd on macOS. */
  public static ServicePlan launchd(Action action, ServiceSpec spec, long uid) {
    Path plist = spec.home().resolve("Library/LaunchAgents/" + ServiceSpec.LABEL + ".plist");
    String domain = "gui/" + uid;
    String service = domain + "/" + ServiceSpec.LABEL;
    Step bootstrap = run("launchctl", "bootstrap", domain, plist.toString());
    Step bootout = maybe("launchctl", "bootout", service);
    return new ServicePlan(
        switch (action) {
          case INSTALL ->
              List.of(
                  new Write(plist, LaunchdPlist.of(spec)),
                  bootout,
                  bootstrap,
                  new Say("helix-bg runs now, and at each login."));
          case UNINSTALL -> List.of(bootout, new Delete(plist));
          case START ->
              List.of(
                  maybe("launchctl", "bootstrap", domain, plist.toString()),
                  run("launchctl", "kickstart", service));
          case STOP -> List.of(run("launchctl", "bootout", service));
          case RESTART -> List.of(run("launchctl", "kickstart", "-k", service));
          case STATUS -> List.of(run("launchctl", "print", service));
        });
  }

  /** For a systemd user instance. */
  public static ServicePlan systemd(Action action, ServiceSpec spec, Path configHome) {
    Path unit = configHome.resolve("systemd/user/" + ServiceSpec.UNIT);
    Step reload = run("systemctl", "--user", "daemon-reload");
    return new ServicePlan(
        switch (action) {
          case INSTALL ->
              List.of(
                  new Write(unit, SystemdUnit.of(spec)),
                  reload,
                  run("systemctl", "--user", "enable", ServiceSpec.UNIT),
                  run("systemctl", "--user", "restart", ServiceSpec.UNIT),
                  new Say(
                      "helix-bg runs now, and while you are logged in. To let it run from boot on:"
                          + " loginctl enable-linger"));
          case UNINSTALL ->
              List.of(
                  maybe("systemctl", "--user", "disable", "--now", ServiceSpec.UNIT),
                  new Delete(unit),
                  reload);
          case START -> List.of(run("systemctl", "--user", "start", ServiceSpec.UNIT));
          case STOP -> List.of(run("systemctl", "--user", "stop", ServiceSpec.UNIT));
          case RESTART -> List.of(run("systemctl", "--user", "restart", ServiceSpec.UNIT));
          case STATUS ->
              List.of(run("systemctl", "--user", "--no-pager", "status", ServiceSpec.UNIT));
        });
  }

  private static Run run(String... command) {
    return new Run(List.of(command), false);
  }

  private static Run maybe(String... command) {
    return new Run(List.of(command), true);
  }
}
