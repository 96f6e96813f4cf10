package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Tries thousands of ways to break the program, and prints one line for each failure. Started by
 * scripts/torture.
 *
 * <p>Case k of an area has the run's seed plus k, so a run of one case with that seed repeats it.
 * All areas get the same time.
 */
final class Torture {
  static final List<String> AREAS =
      List.of("kill", "files", "disk", "damage", "gguf", "socket");

  private static final String USAGE =
      "usage: scripts/torture [--hours N] [--cases N] [--seed S] [--json] [AREA...]; areas: "
          + String.join(" ", AREAS);

  /** Longest time of a case; even on a slow machine, a case takes less than a tenth of it. */
  private static final Duration LONGEST_CASE = Duration.ofHours(1);

  private static final long WORD_NANOS = Duration.ofSeconds(30).toNanos();
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Options of the command line. */
  record Options(double hours, long cases, long seed, boolean json, List<String> areas) {
    /**
     * @throws IllegalArgumentException if the arguments are wrong; its message is the usage
     */
    static Options parse(List<String> arguments) {
      double hours = -1;
      long cases = Long.MAX_VALUE;
      long seed = System.currentTimeMillis() / 1000;
      boolean json = false;
      List<String> areas = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        String argument = arguments.get(i);
        try {
          switch (argument) {
            case "--hours" -> hours = Double.parseDouble(arguments.get(++i));
            case "--cases" -> cases = Long.parseLong(arguments.get(++i));
            case "--seed" -> seed = Long.parseLong(arguments.get(++i));
            case "--json" -> json = true;
            default -> {
              if (!AREAS.contains(argument)) {
                throw new IllegalArgumentException(USAGE);
              }
              areas.add(argument);
            }
          }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
          throw new IllegalArgumentException(argument + " wants a number. " + USAGE, e);
        }
      }
      if (hours < 0) {
        hours = cases == Long.MAX_VALUE ? 1 / 60.0 : 24 * 365;
      }
      return new Options(hours, cases, seed, json, areas.isEmpty() ? AREAS : areas);
    }
  }

  /** An area, and the progress of its cases. */
  private static final class Progress {
    private final String name;
    private TortureArea area;
    private long cases;
    private long findings;
    private long nanos;
    private long longest;

    Progress(String name) {
      this.name = name;
    }
  }

  private final Options options;
  private final Path folder;
  private final Path dist;
  private final PrintStream out;
  private final long start = System.nanoTime();
  private final List<Progress> areas = new ArrayList<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("torture-timer").factory());
  private long nextWord = start + WORD_NANOS;
  private volatile boolean stopped;
  private boolean summed;

  /**
   * @param folder work folder; the caller deletes it
   * @param dist the folder that the build makes
   */
  Torture(Options options, Path folder, Path dist, PrintStream out) {
    this.options = options;
    this.folder = folder;
    this.dist = dist;
    this.out = out;
    options.areas().forEach(name -> areas.add(new Progress(name)));
  }

  /** Arguments: the dist folder, the work folder, then the user's options. */
  public static void main(String[] arguments) throws Exception {
    Options options;
    try {
      options = Options.parse(Arrays.asList(arguments).subList(2, arguments.length));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    Path all = Files.createDirectories(Path.of(arguments[1]));
    deleteThoseOfTheDead(all);
    Path folder = Files.createDirectories(all.resolve("" + ProcessHandle.current().pid()));
    Torture torture = new Torture(options, folder, Path.of(arguments[0]), System.out);
    Thread runner = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> torture.end(runner)));
    System.err.printf("torture: seed %d, work in %s%n", options.seed(), folder);
    System.exit(torture.run() == 0 ? 0 : 1);
  }

  private static void deleteThoseOfTheDead(Path all) throws IOException {
    try (Stream<Path> folders = Files.list(all)) {
      for (Path folder : folders.toList()) {
        if (ProcessHandle.of(Long.parseLong(folder.getFileName().toString())).isEmpty()) {
          delete(folder);
        }
      }
    }
  }

  /** Ends the run: after Ctrl-C, and in any other case. */
  private void end(Thread runner) {
    stopped = true;
    runner.interrupt();
    summarise();
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    for (int tries = 0; tries < 5; tries++) { // another process may still be writing
      try {
        delete(folder);
        return;
      } catch (IOException | UncheckedIOException e) {
        continue;
      }
    }
  }

  /** Returns the number of findings. */
  long run() throws Exception {
    long end = start + (long) (options.hours() * Duration.ofHours(1).toNanos());
    try {
      while (!stopped && System.nanoTime() - end < 0) {
        var next =
            areas.stream()
                .filter(area -> area.cases < options.cases())
                .min(Comparator.comparingLong(area -> area.nanos));
        if (next.isEmpty()) {
          break;
        }
        runCase(next.get());
        if (System.nanoTime() - nextWord > 0) {
          nextWord = System.nanoTime() + WORD_NANOS;
          System.err.println("torture: " + words());
        }
      }
    } finally {
      for (Progress area : areas) {
        if (area.area != null) {
          area.area.close();
        }
      }
    }
    summarise();
    return findings();
  }

  private void runCase(Progress area) throws InterruptedException {
    long seed = options.seed() + area.cases;
    Thread runner = Thread.currentThread();
    String name = runner.getName();
    runner.setName(area.name + " " + seed); // crash reports of the JVM show this name
    ScheduledFuture<?> limit =
        timer.schedule(runner::interrupt, LONGEST_CASE.toNanos(), TimeUnit.NANOSECONDS);
    long begin = System.nanoTime();
    try {
      if (area.area == null) {
        area.area = open(area.name);
      }
      area.area.run(seed);
    } catch (VirtualMachineError | Exception e) {
      if (stopped) {
        return;
      }
      tell(area, seed, describe(e));
    } finally {
      limit.cancel(false);
      Thread.interrupted();
      runner.setName(name);
      area.cases++;
      area.nanos += System.nanoTime() - begin;
      area.longest = Math.max(area.longest, System.nanoTime() - begin);
    }
  }

  private TortureArea open(String name) throws Exception {
    Path work = Files.createDirectories(folder.resolve(name));
    return switch (name) {
      case "kill" -> new TortureKill(work, dist, TortureKill.KILLS);
      case "files" -> new TortureFiles(work);
      case "disk" -> new TortureDisk(work, dist);
      case "damage" -> new TortureDamage(work);
      case "gguf" -> new TortureGguf(work);
      default -> new TortureSocket(work, dist);
    };
  }

  /** Returns an exception as one line, with its origin, unless a check of ours has thrown it. */
  private static String describe(Throwable e) {
    StringBuilder text = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      boolean verdict = cause.getClass() == IllegalStateException.class;
      text.append(text.isEmpty() ? "" : "; caused by ");
      text.append(verdict ? cause.getMessage() : cause.toString());
      if (!verdict) {
        Arrays.stream(cause.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("dev.helixbg"))
            .limit(4)
            .forEach(frame -> text.append(" < ").append(frame));
      }
    }
    StringBuilder line = new StringBuilder();
    text.chars().limit(4_000).forEach(c -> line.append(c < ' ' || c == 0x7F ? ' ' : (char) c));
    return line.toString();
  }

  private synchronized void tell(Progress area, long seed, String finding) {
    area.findings++;
    String again = "scripts/torture --seed %d --cases 1 %s".formatted(seed, area.name);
    if (options.json()) {
      out.println(
          JSON.createObjectNode()
              .put("area", area.name)
              .put("seed", seed)
              .put("finding", finding)
              .put("again", again));
    } else {
      out.printf("%s, seed %d: %s. Again: %s%n", area.name, seed, finding, again);
    }
    out.flush();
  }

  private long findings() {
    return areas.stream().mapToLong(area -> area.findings).sum();
  }

  private String words() {
    List<String> words = new ArrayList<>();
    for (Progress area : areas) {
      words.add(area.name + " " + area.cases + counted(area));
    }
    return String.format(
        Locale.ROOT,
        "%.2f h, %d findings; %s",
        (System.nanoTime() - start) / 3.6e12,
        findings(),
        String.join("; ", words));
  }

  private static Map<String, Long> counts(Progress area) {
    return area.area == null ? Map.of() : new TreeMap<>(area.area.counts);
  }

  private static String counted(Progress area) {
    StringBuilder words = new StringBuilder();
    counts(area).forEach((what, count) -> words.append(", ").append(count + " " + what));
    return words.toString();
  }

  /** Prints the summary at the first call. */
  private synchronized void summarise() {
    if (summed) {
      return;
    }
    summed = true;
    for (Progress area : areas) {
      if (options.json()) {
        ObjectNode json =
            JSON.createObjectNode()
                .put("summary", area.name)
                .put("firstSeed", options.seed())
                .put("cases", area.cases)
                .put("findings", area.findings)
                .put("seconds", area.nanos / 1e9)
                .put("longest", area.longest / 1e9);
        counts(area).forEach(json::put);
        out.println(json);
      } else {
        out.printf(
            Locale.ROOT,
            "%-9s %d cases from seed %d%s; %.0f s, the longest %.1f s; %d findings%n",
            area.name,
            area.cases,
            options.seed(),
            counted(area),
            area.nanos / 1e9,
            area.longest / 1e9,
            area.findings);
      }
    }
    if (!options.json()) {
      long cases = areas.stream().mapToLong(area -> area.cases).sum();
      // A case has at most one finding.
      out.printf("torture: %d passed, %d failed%n", cases - findings(), findings());
    }
    out.flush();
  }

  /** Deletes a folder with its content. */
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
