package dev.helixbg.daemon.service;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one service command does, step by step; shown by {@code --dry-run}, else done.
 *
 * @param steps in order
 */
public record ServicePlan(List<Step> steps) {

  public sealed interface Step {}

  /** Writes a file; its folder is made. */
  public record Write(Path file, String content) implements Step {}

  public record Delete(Path file) implements Step {}

  /**
   * Runs a command.
   *
   * @param mayFail whether a failure means that the goal was reached before
   */
  public record Run(List<String> command, boolean mayFail) implements Step {}

  /** Shows what a command says of the service, and whether it runs: the command succeeds then. */
  public record Ask(List<String> command) implements Step {}

  /** Waits until a command fails, which asks for what is ending. */
  public record AwaitEnd(List<String> command) implements Step {}

  public record Say(String words) implements Step {}

  public enum Action {
    INSTALL,
    UNINSTALL,
    START,
    STOP,
    RESTART,
    STATUS
  }

  /**
   * For launchd on macOS. {@code bootout} is asynchronous: a label that has not ended can neither
   * be started anew nor told to.
   *
   * @param spec what to write; may be empty but for {@link Action#INSTALL}: then nothing changes
   * @param domain {@code gui/UID} or {@code user/UID}
   */
  public static ServicePlan launchd(
      Action action, Optional<ServiceSpec> spec, Path home, String domain) {
    Path plist = plist(home);
    String service = domain + "/" + ServiceSpec.LABEL;
    List<Step> end =
        List.of(
            maybe("launchctl", "bootout", service),
            new AwaitEnd(List.of("launchctl", "print", service)));
    Step bootstrap = run("launchctl", "bootstrap", domain, plist.toString());
    List<Step> steps = new ArrayList<>();
    spec.ifPresent(known -> steps.add(new Write(plist, LaunchdPlist.of(known))));
    switch (action) {
      case INSTALL, RESTART -> {
        steps.addAll(end);
        steps.add(bootstrap);
      }
      case UNINSTALL -> {
        steps.addAll(end);
        steps.add(new Delete(plist));
      }
      case START -> {
        steps.add(maybe("launchctl", "bootstrap", domain, plist.toString()));
        steps.add(run("launchctl", "kickstart", service));
      }
      case STOP -> {
        steps.add(run("launchctl", "bootout", service));
        steps.add(end.getLast());
      }
      case STATUS -> steps.add(new Ask(List.of("launchctl", "print", service)));
    }
    if (action == Action.INSTALL) {
      steps.add(new Say("helix-bg runs now, and at each login."));
    }
    return new ServicePlan(steps);
  }

  /** File that launchd reads at login. */
  public static Path plist(Path home) {
    return home.resolve("Library/LaunchAgents/" + ServiceSpec.LABEL + ".plist");
  }

  /**
   * For a systemd user instance.
   *
   * @param spec what to write; may be empty but for {@link Action#INSTALL}: then nothing changes
   */
  public static ServicePlan systemd(Action action, Optional<ServiceSpec> spec, Path configHome) {
    Path unit = unit(configHome);
    Step reload = run("systemctl", "--user", "daemon-reload");
    List<Step> steps = new ArrayList<>();
    if (spec.isPresent()) {
      steps.add(new Write(unit, SystemdUnit.of(spec.get())));
      steps.add(reload);
    }
    switch (action) {
      case INSTALL -> {
        steps.add(run("systemctl", "--user", "enable", ServiceSpec.UNIT));
        steps.add(run("systemctl", "--user", "restart", ServiceSpec.UNIT));
        steps.add(
            new Say(
                "helix-bg runs now, and while you are logged in. To let it run from boot on:"
                    + " loginctl enable-linger"));
      }
      case UNINSTALL -> {
        steps.add(maybe("systemctl", "--user", "disable", "--now", ServiceSpec.UNIT));
        steps.add(new Delete(unit));
        steps.add(reload);
      }
      case START -> steps.add(run("systemctl", "--user", "start", ServiceSpec.UNIT));
      case STOP -> steps.add(run("systemctl", "--user", "stop", ServiceSpec.UNIT));
      case RESTART -> steps.add(run("systemctl", "--user", "restart", ServiceSpec.UNIT));
      case STATUS ->
          steps.add(
              new Ask(List.of("systemctl", "--user", "--no-pager", "status", ServiceSpec.UNIT)));
    }
    return new ServicePlan(steps);
  }

  public static Path unit(Path configHome) {
    return configHome.resolve("systemd/user/" + ServiceSpec.UNIT);
  }

  private static Run run(String... command) {
    return new Run(List.of(command), false);
  }

  private static Run maybe(String... command) {
    return new Run(List.of(command), true);
  }
}
