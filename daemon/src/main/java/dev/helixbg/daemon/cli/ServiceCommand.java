package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
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
import dev.helixbg.daemon.service.StepRunner;
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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Hands the daemon to launchd or systemd. */
@Command(
    name = "service",
    description =
        "Install and control the daemon as a service of launchd or systemd, started at login.")
final class ServiceCommand extends ConsoleCommand {
  private static final List<String> ACTIONS =
      List.of("install", "uninstall", "start", "stop", "restart", "status", "logs");

  @Mixin private GlobalOptions options;

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = "install, uninstall, start, stop, restart, status or logs.",
      completionCandidates = Actions.class)
  private String action;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "kb",
      description =
          "With install: knowledge bases that the daemon watches, instead of those before.")
  private List<Path> kbs = List.of();

  @Mixin private KbsOption kb;

  @Option(
      names = "--dry-run",
      description = "Show what would be written and run, and change nothing.")
  private boolean dryRun;

  static final class Actions extends ArrayList<String> {
    Actions() {
      super(ACTIONS);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!ACTIONS.contains(action)) {
      throw Failure.usage(
          "service must be told one of "
              + String.join(", ", ACTIONS)
              + ", not "
              + action
              + NearestName.meant(action, ACTIONS, ""));
    }
    UserDirectories locations = GlobalOptions.locations();
    DaemonHome home = DaemonHome.of(locations);
    if (action.equals("logs")) {
      return printLogs(home);
    }
    Action wanted = Action.valueOf(action.toUpperCase(Locale.ROOT));
    Optional<ServiceRequest> request =
        switch (wanted) {
          case INSTALL -> Optional.of(installed(locations));
          case RESTART -> ServiceRequest.read(home);
          default -> Optional.empty(); // settings that are wrong by now are no reason not to stop
        };
    Optional<ServiceSpec> spec = request.flatMap(known -> spec(known, locations, home));
    List<ServicePlan.Step> steps = new ArrayList<>();
    if (spec.isPresent()) {
      steps.add(new ServicePlan.Write(ServiceRequest.file(home), request.get().json()));
    }
    steps.addAll(plan(wanted, spec, locations).steps());
    if (wanted == Action.UNINSTALL) {
      steps.add(new ServicePlan.Delete(ServiceRequest.file(home)));
    }
    take(steps, spec, home);
    return ExitCode.OK.number();
  }

  private void take(List<ServicePlan.Step> steps, Optional<ServiceSpec> spec, DaemonHome home)
      throws IOException, InterruptedException {
    StepRunner runner = new StepRunner(console.out());
    if (dryRun) {
      steps.forEach(runner::show);
      return;
    }
    if (spec.isPresent()) {
      PrivateFiles.makeFolders(home.folder());
      PrivateFiles.makeFolder(home.logs());
      PrivateFiles.open(spec.get().stderr(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
          .close();
      List<Path> folders = new ArrayList<>(spec.get().writable());
      folders.removeAll(
          spec.get().request().kbs()); // one that is not mounted must not get a double
      for (Path folder : folders) { // one that is not there cannot be made writable
        PrivateFiles.makeFolders(folder);
      }
    }
    for (ServicePlan.Step step : steps) {
      runner.take(step);
    }
  }

  private ServiceRequest installed(UserDirectories locations) {
    Settings settings = options.load().settings();
    LinkedHashSet<Path> watched = new LinkedHashSet<>();
    for (Kb named : kb.named(kbs)) {
      watched.add(Kb.find(Optional.of(named.folder()), settings, locations).folder());
    }
    List<Path> notes = kb.notes();
    notes.forEach(folder -> NotesKb.at(folder, settings).look()); // with notes in them
    if (watched.isEmpty() && notes.isEmpty()) {
      watched.add(Kb.find(Optional.empty(), settings, locations).folder());
    }
    return new ServiceRequest(
        List.copyOf(watched), notes, options.config(), options.set(), environment());
  }

  /**
   * What to write; empty for a restart out of a checkout, where nothing is installed.
   *
   * @throws Failure with {@link ExitCode#USAGE} when there is nothing that a service may run
   */
  private Optional<ServiceSpec> spec(
      ServiceRequest request, UserDirectories locations, DaemonHome home) {
    Optional<Installation> installation =
        Installation.of(Installation.jar()).or(() -> Installation.ofUser(locations.home()));
    if (installation.isEmpty()) {
      if (action.equals("restart")) {
        return Optional.empty();
      }
      throw Failure.usage(
          "a service does not run a checkout, which changes with each build: install it first, by"
              + " scripts/install");
    }
    Settings settings = settings(request, locations);
    LinkedHashSet<Path> writable = new LinkedHashSet<>(request.kbs());
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

  /** The settings that the service will use. */
  private static Settings settings(ServiceRequest request, UserDirectories locations) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.keySet().removeIf(ServiceCommand::isSetting);
    environment.putAll(request.environment());
    return new SettingsLoader(locations, environment)
        .load(request.config(), request.set())
        .settings();
  }

  /** The settings that come from the environment now come from there later. */
  private static Map<String, String> environment() {
    Map<String, String> kept = new TreeMap<>(System.getenv());
    kept.keySet().removeIf(name -> !isSetting(name) && !name.equals("XDG_CACHE_HOME"));
    return kept;
  }

  private static boolean isSetting(String variable) {
    return variable.startsWith("HELIX_BG_") && !variable.startsWith("HELIX_BG_LAUNCHER_");
  }

  private ServicePlan plan(Action wanted, Optional<ServiceSpec> spec, UserDirectories locations)
      throws IOException, InterruptedException {
    if (!isMac()) {
      return ServicePlan.systemd(wanted, spec, configHome(locations));
    }
    Path home = locations.home();
    long uid =
        ((Number) Files.getAttribute(home, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue();
    String domain = dryRun ? "gui/" + uid : LaunchdPlist.domain(uid);
    return ServicePlan.launchd(wanted, spec, home, domain);
  }

  /** The file that the service manager of this machine reads. */
  static Path file(UserDirectories locations) {
    return isMac() ? ServicePlan.plist(locations.home()) : ServicePlan.unit(configHome(locations));
  }

  private static boolean isMac() {
    return System.getProperty("os.name").startsWith("Mac");
  }

  private static Path configHome(UserDirectories locations) {
    String configured = System.getenv("XDG_CONFIG_HOME");
    return configured == null || configured.isEmpty()
        ? locations.home().resolve(".config")
        : Path.of(configured);
  }

  private Integer printLogs(DaemonHome home) {
    boolean log = print(home.logFile(), "");
    boolean errors =
        print(home.serviceErrors(), "--- stderr of the service, " + home.serviceErrors());
    if (!log && !errors) {
      throw new Failure(
          ExitCode.NO_DAEMON, "there is no log " + home.logFile() + ": nothing ran yet");
    }
    return ExitCode.OK.number();
  }

  /**
   * @param heading of a file that is not empty
   * @return whether it is there
   */
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
