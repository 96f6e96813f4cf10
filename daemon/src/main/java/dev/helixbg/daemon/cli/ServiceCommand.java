package dev.helixbg.daemon.cli;

import dev.helixbg.config.Locations;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.service.ServicePlan;
import dev.helixbg.daemon.service.ServicePlan.Action;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Hands the daemon to launchd or systemd. */
@Command(
    name = "service",
    description = "Let launchd or systemd run the daemon from login on.",
    mixinStandardHelpOptions = true)
public final class ServiceCommand implements Callable<Integer> {
  /** For a process that rests most of its life: the heap shrinks when there is garbage in it. */
  public static final List<String> DAEMON_OPTIONS =
      List.of(
          "-Xms8m",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=20",
          "-XX:-ShrinkHeapInSteps",
          "-Xlog:disable",
          "-Xlog:all=error:stderr");

  /**
   * Has glibc give back what is freed: left to itself it makes each thread a heap of its own, and
   * keeps ever larger blocks once large ones were freed, as compilers and models do. That was
   * another 10 to 35 MB at rest, by chance. scripts/helix-bg sets the same.
   */
  public static final Map<String, String> DAEMON_ENVIRONMENT =
      Map.of(
          "MALLOC_ARENA_MAX", "2",
          "MALLOC_MMAP_THRESHOLD_", "131072",
          "MALLOC_TRIM_THRESHOLD_", "131072");

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
      description = "Knowledge bases for the daemon to watch, with install.")
  private List<Path> kbs = List.of();

  @Option(names = "--dry-run", description = "Only show what would be written and run.")
  private boolean dryRun;

  private final Console console;

  /** For shell completion. */
  static final class Actions extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Actions() {
      super(ACTIONS);
    }
  }

  ServiceCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!ACTIONS.contains(action)) {
      throw new Failure(
          ExitCode.USAGE,
          "service must be told one of " + String.join(", ", ACTIONS) + ", not " + action);
    }
    Locations locations = GlobalOptions.locations();
    DaemonHome home = DaemonHome.of(locations);
    if (action.equals("logs")) {
      return printLogs(home);
    }
    Action wanted = Action.valueOf(action.toUpperCase(java.util.Locale.ROOT));
    ServiceSpec spec = spec(locations, home, wanted == Action.INSTALL);
    ServicePlan plan =
        System.getProperty("os.name").startsWith("Mac")
            ? ServicePlan.launchd(wanted, spec, uid(locations.home()))
            : ServicePlan.systemd(wanted, spec, configHome(locations));
    if (wanted == Action.INSTALL && !dryRun) {
      PrivateFiles.makeFolders(home.folder());
      PrivateFiles.makeFolder(home.logs());
      for (Path folder : spec.writable()) { // one that is not there cannot be made writable
        Files.createDirectories(folder);
      }
    }
    for (ServicePlan.Step step : plan.steps()) {
      if (dryRun) {
        show(step);
      } else {
        take(step);
      }
    }
    return ExitCode.OK.number();
  }

  private ServiceSpec spec(Locations locations, DaemonHome home, boolean install) {
    List<Path> watched = new ArrayList<>();
    LinkedHashSet<Path> writable = new LinkedHashSet<>();
    if (install) { // settings that are wrong by now are no reason not to stop
      Settings settings = options.load().settings();
      kbs.forEach(kb -> watched.add(Kb.find(Optional.of(kb), settings, locations).folder()));
      if (watched.isEmpty()) {
        watched.add(Kb.find(Optional.empty(), settings, locations).folder());
      }
      writable.addAll(watched);
      writable.add(home.folder());
      writable.add(settings.embed().models());
      writable.add(settings.cache());
    }
    List<String> java = javaOptions();
    java.addAll(DAEMON_OPTIONS);
    Path jar = jar();
    Path archive = jar.resolveSibling("helix-bg.jsa");
    if (Files.exists(archive)) {
      java.add("-XX:SharedArchiveFile=" + archive);
    }
    return new ServiceSpec(
        locations.home(),
        Path.of(System.getProperty("java.home"), "bin", "java"),
        java,
        jar,
        watched,
        List.copyOf(writable),
        home.logs(),
        environment());
  }

  /**
   * What every JVM of ours is started with: the launcher's argument files, which are in the jar.
   */
  public static List<String> javaOptions() {
    List<String> options = new ArrayList<>();
    for (String name : List.of("jvm.options", "tiered.options")) {
      try (InputStream file = ServiceCommand.class.getResourceAsStream(name)) {
        new String(file.readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .filter(line -> !line.startsWith("#"))
            .flatMap(line -> Arrays.stream(line.split(" ")))
            .filter(option -> !option.isEmpty())
            .forEach(options::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return options;
  }

  /** The settings that come from the environment now come from there later, beside our own. */
  private static Map<String, String> environment() {
    Map<String, String> kept = new TreeMap<>(DAEMON_ENVIRONMENT);
    System.getenv()
        .forEach(
            (name, value) -> {
              boolean setting =
                  name.startsWith("HELIX_BG_") && !name.startsWith("HELIX_BG_LAUNCHER_");
              if (setting || name.equals("XDG_CACHE_HOME")) {
                kept.put(name, value);
              }
            });
    return kept;
  }

  private static Path jar() {
    String classPath = System.getProperty("java.class.path");
    Path jar = Path.of(classPath.split(java.io.File.pathSeparator)[0]).toAbsolutePath();
    return jar.normalize();
  }

  private static Path configHome(Locations locations) {
    String configured = System.getenv("XDG_CONFIG_HOME");
    return configured == null || configured.isEmpty()
        ? locations.home().resolve(".config")
        : Path.of(configured);
  }

  private static long uid(Path home) throws IOException {
    return ((Number) Files.getAttribute(home, "unix:uid", LinkOption.NOFOLLOW_LINKS)).longValue();
  }

  private void show(ServicePlan.Step step) {
    switch (step) {
      case ServicePlan.Write write -> {
        say("# would write " + write.file());
        say(write.content().stripTrailing());
      }
      case ServicePlan.Delete delete -> say("# would delete " + delete.file());
      case ServicePlan.Run run -> say("# would run: " + String.join(" ", run.command()));
      case ServicePlan.Say words -> say("# " + words.words());
    }
  }

  private void take(ServicePlan.Step step) throws IOException, InterruptedException {
    switch (step) {
      case ServicePlan.Write write -> {
        Files.createDirectories(write.file().getParent());
        byte[] bytes = write.content().getBytes(StandardCharsets.UTF_8);
        AtomicFile.replace(write.file(), out -> out.write(bytes));
      }
      case ServicePlan.Delete delete -> Files.deleteIfExists(delete.file());
      case ServicePlan.Run run -> run(run);
      case ServicePlan.Say words -> say(words.words());
    }
  }

  private void run(ServicePlan.Run step) throws InterruptedException {
    String command = String.join(" ", step.command());
    try {
      ProcessBuilder builder = new ProcessBuilder(step.command()).redirectErrorStream(true);
      Process process = builder.start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int code = process.waitFor();
      boolean status = action.equals("status");
      if (!output.isEmpty() && (code == 0 || status)) {
        say(output);
      }
      if (code != 0 && !step.mayFail()) {
        throw new Failure(
            status ? ExitCode.NO_DAEMON : ExitCode.WRITE,
            status
                ? "the service is not running"
                : command + " failed (" + code + "): " + output.replace('\n', ' '));
      }
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          command + " cannot be run: " + e.getMessage() + ". Start the daemon by hand instead");
    }
  }

  private Integer printLogs(DaemonHome home) {
    try {
      Files.copy(home.logFile(), console.out());
      return ExitCode.OK.number();
    } catch (IOException e) {
      throw new Failure(
          ExitCode.NO_DAEMON, "there is no log " + home.logFile() + ": " + Reasons.of(e));
    }
  }

  private void say(String text) {
    console.out().println(text);
  }
}
