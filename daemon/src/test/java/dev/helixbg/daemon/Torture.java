package dev.helixbg.daemon;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
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
 * The areas run one after the other, each for the same time.
 */
final class Torture {
  private static final List<String> AREAS = List.of("kill", "files", "damage");

  private static final String USAGE =
      "usage: scripts/torture [--hours N] [--cases N] [--seed S] [AREA...]; areas: "
          + String.join(" ", AREAS);

  /** Longest time of a case; even on a slow machine, a case takes less than a tenth of it. */
  private static final Duration LONGEST_CASE = Duration.ofHours(1);

  private static final Duration LONGEST_END = Duration.ofSeconds(10);

  private final Path folder;
  private final Path dist;
  private final PrintStream out;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("torture-timer").factory());
  private volatile boolean stopped;
  private volatile boolean ended;
  private long passed;
  private long failed;

  /**
   * @param folder work folder; the caller deletes it
   * @param dist the folder that the build makes
   */
  Torture(Path folder, Path dist, PrintStream out) {
    this.folder = folder;
    this.dist = dist;
    this.out = out;
  }

  /** Arguments: the dist folder, then the user's options. */
  public static void main(String[] arguments) throws Exception {
    double hours = -1;
    long cases = Long.MAX_VALUE;
    long seed = System.currentTimeMillis() / 1000;
    List<String> areas = new ArrayList<>();
    Iterator<String> words = Arrays.asList(arguments).subList(1, arguments.length).iterator();
    try {
      while (words.hasNext()) {
        String word = words.next();
        switch (word) {
          case "--hours" -> hours = Double.parseDouble(words.next());
          case "--cases" -> cases = Long.parseLong(words.next());
          case "--seed" -> seed = Long.parseLong(words.next());
          default -> areas.add(AREAS.get(AREAS.indexOf(word)));
        }
      }
    } catch (NumberFormatException | NoSuchElementException | IndexOutOfBoundsException e) {
      System.err.println(USAGE);
      System.exit(2);
    }
    if (hours < 0) {
      hours = cases == Long.MAX_VALUE ? 1 / 60.0 : 24 * 365;
    }
    Path folder = Files.createTempDirectory("torture");
    Torture torture = new Torture(folder, Path.of(arguments[0]), System.out);
    Thread runner = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> torture.end(runner)));
    System.err.printf("torture: seed %d, work in %s%n", seed, folder);
    long failed = torture.run(areas.isEmpty() ? AREAS : areas, hours, cases, seed);
    if (!torture.stopped) {
      System.exit(failed == 0 ? 0 : 1);
    }
  }

  /** Deletes the work folder; after Ctrl-C, lets the runner print its summary first. */
  private void end(Thread runner) {
    if (!ended) {
      stopped = true;
      runner.interrupt();
    }
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    for (int tries = 0; tries < 5; tries++) { // another process may still be writing
      try {
        if (!ended) {
          runner.join(LONGEST_END);
        }
        delete(folder);
        return;
      } catch (IOException | UncheckedIOException | InterruptedException e) {
        continue;
      }
    }
  }

  /** Returns the number of failed cases. */
  long run(List<String> areas, double hours, long cases, long seed) throws Exception {
    for (String area : areas) {
      run(area, (long) (hours / areas.size() * Duration.ofHours(1).toNanos()), cases, seed);
    }
    out.printf("torture: %d passed, %d failed%n", passed, failed);
    ended = true;
    return failed;
  }

  private void run(String name, long nanos, long cases, long firstSeed) throws Exception {
    try (TortureArea area = open(name)) {
      long begin = System.nanoTime();
      long failedBefore = failed;
      long seed = firstSeed;
      while (!stopped && seed - firstSeed < cases && System.nanoTime() - begin < nanos) {
        runCase(area, name, seed++);
      }
      StringBuilder counts = new StringBuilder();
      area.counts.forEach((what, count) -> counts.append(", ").append(count + " " + what));
      out.printf(
          Locale.ROOT,
          "%-9s %d cases from seed %d%s; %.0f s; %d failed%n",
          name,
          seed - firstSeed,
          firstSeed,
          counts,
          (System.nanoTime() - begin) / 1e9,
          failed - failedBefore);
    }
  }

  private void runCase(TortureArea area, String areaName, long seed) {
    Thread runner = Thread.currentThread();
    String name = runner.getName();
    runner.setName(areaName + " " + seed); // crash reports of the JVM show this name
    ScheduledFuture<?> limit =
        timer.schedule(runner::interrupt, LONGEST_CASE.toNanos(), TimeUnit.NANOSECONDS);
    try {
      area.run(seed);
      passed++;
    } catch (VirtualMachineError | AssertionError | Exception e) {
      if (!stopped) {
        failed++;
        String again = "scripts/torture --seed %d --cases 1 %s".formatted(seed, areaName);
        out.printf("%s, seed %d: %s. Again: %s%n", areaName, seed, describe(e), again);
      }
    } finally {
      limit.cancel(false);
      Thread.interrupted();
      runner.setName(name);
    }
  }

  private TortureArea open(String name) throws Exception {
    Path work = Files.createDirectories(folder.resolve(name));
    return switch (name) {
      case "kill" -> new TortureKill(work, dist, TortureKill.KILLS);
      case "files" -> new TortureFiles(work);
      default -> new TortureDamage(work);
    };
  }

  /** Returns an exception as one line; for a failed check of the torture, only its message. */
  private static String describe(Throwable e) {
    StringBuilder text = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      boolean verdict =
          cause.getClass() == IllegalStateException.class || cause instanceof AssertionError;
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
