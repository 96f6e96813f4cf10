package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbsOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.service.Installation;
import dev.helixbg.daemon.service.LaunchdPlist;
import dev.helixbg.daemon.service.ServicePlan;
import dev.helixbg.daemon.service.ServicePlan.Action;
import dev.helixbg.daemon.service.ServiceRequest;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.service.ServiceStep;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Model.PositionalParamSpec;

final class ServiceCommand extends ConsoleCommand {
  private Action action;
  private List<Path> kbs = List.of();
  private final KbsOption kb = new KbsOption();
  private boolean dryRun;

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Install and control the daemon as a service of launchd or systemd, started at login.");
    to.add(options);
    to.add(
        PositionalParamSpec.builder()
            .index("0")
            .paramLabel("ACTION")
            .description("install, uninstall, start, stop, restart, status or logs."),
        Action.class,
        given -> action = given);
    to.addAll(
        PositionalParamSpec.builder()
            .index("1..*")
            .arity("0..*")
            .paramLabel("kb")
            .description(
                "With 'install': knowledge bases that the daemon watches from now on, instead of"
                    + " the previous knowledge bases."),
        Path.class,
        given -> kbs = given);
    to.add(kb);
    to.flag(
        "--dry-run",
        "Show what would be written and run, and change nothing.",
        given -> dryRun = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    if (action != Action.INSTALL && !(kb.named(kbs).isEmpty() && kb.notes().isEmpty())) {
      throw Failure.usage("only 'install' takes knowledge bases, not '" + action + "'");
    }
    UserDirectories locations = GlobalOptions.locations();
    DaemonHome home = DaemonHome.of(locations);
    if (action == Action.LOGS) {
      printLogs(home);
      return;
    }
    Optional<ServiceRequest> request =
        switch (action) {
          case INSTALL -> Optional.of(installed(locations));
          case RESTART -> ServiceRequest.read(home);
          // reads no settings, so that a service with invalid settings can still be stopped
          default -> Optional.empty();
        };
    Optional<ServiceSpec> spec = request.flatMap(known -> spec(known, locations, home));
    List<ServiceStep> steps = new ArrayList<>();
    if (spec.isPresent()) {
      steps.add(ServiceStep.write(ServiceRequest.file(home), request.get().json()));
    }
    steps.addAll(plan(spec, locations));
    if (action == Action.UNINSTALL) {
      steps.add(ServiceStep.delete(ServiceRequest.file(home)));
    }
    if (dryRun) {
      steps.forEach(step -> console.out().println("# " + step.shown()));
    } else {
      if (spec.isPresent()) {
        makeFolders(spec.get(), home);
      }
      for (ServiceStep step : steps) {
        step.deed().take(console.out());
      }
    }
  }

  /**
   * Creates the folders to which the service writes. A service manager gives write access only to
   * folders that exist.
   */
  private static void makeFolders(ServiceSpec spec, DaemonHome home) throws IOException {
    PrivateFiles.makeFolders(home.folder());
    PrivateFiles.makeFolder(home.logs());
    PrivateFiles.open(spec.stderr(), StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
    for (Path folder : spec.writable()) {
      // The folder of a missing knowledge base is not made, because its disk may be mounted later.
      if (!spec.request().kbs().contains(folder.toString())) {
        PrivateFiles.makeFolders(folder);
      }
    }
  }

  private ServiceRequest installed(UserDirectories locations) {
    Settings settings = options.load().settings();
    LinkedHashSet<String> watched = new LinkedHashSet<>();
    for (Kb named : kb.named(kbs)) {
      watched.add(Kb.find(Optional.of(named.folder()), settings, locations).folder().toString());
    }
    List<Path> notes = kb.notes();
    notes.forEach(folder -> NotesKb.at(folder, settings).look()); // fails without notes
    if (watched.isEmpty() && notes.isEmpty()) {
      watched.add(Kb.find(Optional.empty(), settings, locations).folder().toString());
    }
    return new ServiceRequest(
        List.copyOf(watched),
        notes.stream().map(Path::toString).toList(),
        options.config().map(Path::toString).orElse(null),
        options.set(),
        environment());
  }

  private Optional<ServiceSpec> spec(
      ServiceRequest request, UserDirectories locations, DaemonHome home) {
    Optional<Installation> installation = Installation.find(locations.home());
    if (installation.isEmpty()) {
      if (action == Action.RESTART) {
        return Optional.empty();
      }
      throw Failure.usage(
          "a service cannot run from a checkout, because each build changes it: first install"
              + " helix-bg: scripts/install");
    }
    Settings settings = settings(request, locations);
    LinkedHashSet<Path> writable = new LinkedHashSet<>();
    request.kbs().forEach(one -> writable.add(Path.of(one)));
    writable.add(home.folder());
    writable.add(settings.embed().models());
    writable.add(settings.cache());
    writable.add(settings.state());
    return Optional.of(
        new ServiceSpec(
            locations.home(),
            installation.get().launcher(),
            request,
            List.copyOf(writable),
            home.serviceErrors()));
  }

  private static Settings settings(ServiceRequest request, UserDirectories locations) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.keySet().removeIf(ServiceCommand::isKept);
    environment.putAll(request.environment());
    UserDirectories ofService =
        UserDirectories.of(environment, locations.home().toString(), System.getProperty("os.name"));
    return new SettingsLoader(ofService, environment)
        .load(Optional.ofNullable(request.config()).map(Path::of), request.set())
        .settings();
  }

  private static Map<String, String> environment() {
    Map<String, String> kept = new TreeMap<>(System.getenv());
    kept.keySet().removeIf(name -> !isKept(name));
    // the path must be absolute, because the service has another working folder
    kept.computeIfPresent(
        SettingsLoader.CONFIG_VARIABLE,
        (_, file) -> file.isEmpty() ? file : Path.of(file).toAbsolutePath().normalize().toString());
    return kept;
  }

  /**
   * Whether the service gets an environment variable. It gets the variables with settings, with
   * Java's options, and with folders that the service shares with commands.
   */
  private static boolean isKept(String variable) {
    return variable.startsWith("HELIX_BG_") && !variable.startsWith("HELIX_BG_LAUNCHER_")
        || variable.equals("HELIX_BG_LAUNCHER_JAVA_OPTIONS")
        || variable.equals("XDG_CACHE_HOME")
        || variable.equals("XDG_STATE_HOME");
  }

  private List<ServiceStep> plan(Optional<ServiceSpec> spec, UserDirectories locations)
      throws IOException, InterruptedException {
    Path home = locations.home();
    if (!isMac()) {
      // An uninstall deletes the daemon's files, but only a systemd that answers can stop the
      // daemon.
      if (!dryRun && (spec.isPresent() || action == Action.UNINSTALL && isServiceRunning())) {
        ServiceStep.requireSystemd();
      }
      return ServicePlan.systemd(action, spec, home);
    }
    long uid =
        ((Number) Files.getAttribute(home, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue();
    String domain = dryRun ? "gui/" + uid : LaunchdPlist.domain(uid);
    return ServicePlan.launchd(action, spec, home, domain);
  }

  private static boolean isServiceRunning() {
    return GlobalOptions.daemon()
        .status()
        .filter(status -> status.path("service").asBoolean())
        .isPresent();
  }

  static Path file(UserDirectories locations) {
    Path home = locations.home();
    return isMac() ? ServicePlan.plist(home) : ServicePlan.unit(home);
  }

  private static boolean isMac() {
    return System.getProperty("os.name").startsWith("Mac");
  }

  private void printLogs(DaemonHome home) {
    boolean log = print(home.logFile(), "");
    boolean errors =
        print(home.serviceErrors(), "--- stderr of the service, " + home.serviceErrors());
    if (!log && !errors) {
      throw new Failure(
          ExitCode.NO_DAEMON,
          "there is no log " + home.logFile() + ": the service has not run yet");
    }
  }

  private boolean print(Path file, String heading) {
    try {
      PrivateFiles.requireFile(file);
      if (!heading.isEmpty() && Files.size(file) > 0) {
        console.out().println(heading);
      }
      Files.copy(file, console.out());
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw Failure.io(ExitCode.NO_DAEMON, "read " + file, e);
    }
  }
}
