package dev.helixbg.daemon.service;

import dev.helixbg.daemon.link.DaemonHome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Plans the steps that each action of the command {@code service} takes. */
public final class ServicePlan {
  private ServicePlan() {}

  public enum Action {
    INSTALL,
    UNINSTALL,
    START,
    STOP,
    RESTART,
    STATUS,
    LOGS;

    /** Returns the action's name, as users type it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Returns the steps for launchd. {@code bootout} does not wait until the service has ended, but
   * only then can the service be started again. Therefore a step waits for the end.
   *
   * @param spec the service to write; if empty, the service's file stays as it is
   * @param domain {@code gui/UID} or {@code user/UID}
   */
  public static List<ServiceStep> launchd(
      Action action, Optional<ServiceSpec> spec, Path home, String domain) {
    Path plist = plist(home);
    String service = domain + "/" + ServiceSpec.LABEL;
    ServiceStep out = ServiceStep.maybe("launchctl", "bootout", service);
    ServiceStep ended = ServiceStep.awaitEnd("launchctl", "print", service);
    ServiceStep started = ServiceStep.awaitStart(new DaemonHome(home.resolve(".helix")));
    String[] bootstrap = {"launchctl", "bootstrap", domain, plist.toString()};
    List<ServiceStep> steps = new ArrayList<>();
    spec.ifPresent(known -> steps.add(ServiceStep.write(plist, LaunchdPlist.of(known))));
    steps.addAll(
        switch (action) {
          case INSTALL ->
              List.of(
                  out,
                  ended,
                  ServiceStep.run(bootstrap),
                  started,
                  ServiceStep.say("helix-bg runs now, and at each login."));
          case RESTART -> List.of(out, ended, ServiceStep.run(bootstrap), started);
          case UNINSTALL -> List.of(out, ended, ServiceStep.delete(plist));
          case START ->
              List.of(
                  ServiceStep.maybe(bootstrap),
                  ServiceStep.run("launchctl", "kickstart", service),
                  started);
          case STOP -> List.of(ServiceStep.run("launchctl", "bootout", service), ended);
          case STATUS -> List.of(ServiceStep.ask("launchctl", "print", service));
          case LOGS -> List.<ServiceStep>of();
        });
    return steps;
  }

  public static Path plist(Path home) {
    return home.resolve("Library/LaunchAgents/" + ServiceSpec.LABEL + ".plist");
  }

  /**
   * Returns the steps for a systemd user instance. Enables the unit by its path, because {@code
   * XDG_CONFIG_HOME} may have another value for systemd.
   */
  public static List<ServiceStep> systemd(Action action, Optional<ServiceSpec> spec, Path home) {
    Path unit = unit(home);
    ServiceStep started = ServiceStep.awaitStart(new DaemonHome(home.resolve(".helix")));
    String[] reload = {"systemctl", "--user", "daemon-reload"};
    List<ServiceStep> steps = new ArrayList<>();
    if (spec.isPresent()) {
      steps.add(ServiceStep.write(unit, SystemdUnit.of(spec.get())));
      steps.add(ServiceStep.run(reload));
    }
    steps.addAll(
        switch (action) {
          case INSTALL ->
              List.of(
                  ServiceStep.run("systemctl", "--user", "enable", unit.toString()),
                  systemctl("restart"),
                  started,
                  ServiceStep.say(
                      "helix-bg runs now, and while you are logged in. To let it run from boot on:"
                          + " loginctl enable-linger"));
          case UNINSTALL ->
              List.of(
                  ServiceStep.maybe("systemctl", "--user", "disable", "--now", ServiceSpec.UNIT),
                  ServiceStep.delete(unit),
                  ServiceStep.maybe(reload));
          case START, RESTART -> List.of(systemctl(action.toString()), started);
          case STOP -> List.of(systemctl(action.toString()));
          case STATUS ->
              List.of(
                  ServiceStep.ask("systemctl", "--user", "--no-pager", "status", ServiceSpec.UNIT));
          case LOGS -> List.<ServiceStep>of();
        });
    return steps;
  }

  public static Path unit(Path home) {
    return home.resolve(".config/systemd/user/" + ServiceSpec.UNIT);
  }

  private static ServiceStep systemctl(String verb) {
    return ServiceStep.run("systemctl", "--user", verb, ServiceSpec.UNIT);
  }
}
