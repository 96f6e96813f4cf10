package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures a real daemon at rest: how soon it notices a new entry, and how much processor time and
 * memory it takes while nothing happens. Started by scripts/bench-rest.
 */
final class RestDriver {
  private static final int ENTRIES = 10_000;
  private static final int WRITES = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(30);

  /** Time between two writes; longer than the time between two checks of the daemon. */
  private static final Duration BETWEEN_WRITES = Duration.ofSeconds(33);

  private static final String SOON =
      """
      embedder_idle_minutes = 0
      model_quiet_minutes = 0.01
      model_max_load = 1000
      """;

  private final Path kb;
  private final RealDaemon daemon;

  private RestDriver(Path kb, RealDaemon daemon) {
    this.kb = kb;
    this.daemon = daemon;
  }

  /** Arguments: seconds, the dist folder, a work folder, settings of [daemon] in TOML. */
  public static void main(String[] arguments) throws Exception {
    Duration rest = Duration.ofSeconds(Long.parseLong(arguments[0]));
    Path folder = Files.createDirectories(Path.of(arguments[2]));
    Path kb = folder.resolve("kb");
    if (!Files.exists(kb.resolve("data.log"))) {
      GeneratedKb.write(kb, ENTRIES);
    }
    String settings = "[daemon]\n" + String.join("\n", arguments[3].split(";")) + "\n";
    try (RealDaemon daemon =
        new RealDaemon(folder.resolve("home"), Path.of(arguments[1]), List.of())) {
      daemon.settings(settings);
      daemon.start(kb);
      RestDriver driver = new RestDriver(kb, daemon);
      driver.awaitUpToDate();
      driver.notice();
      // All work after a change is done now. With new settings, models are released at once.
      daemon.end();
      daemon.settings(settings + SOON);
      daemon.start(kb);
      driver.awaitIdle();
      driver.rest(rest);
      System.out.printf(
          "rest: the entry that ended it was in the report after %s s%n", driver.secondsToReport());
      System.out.printf("rest: SIGTERM took %d ms%n", daemon.end().toMillis());
    }
  }

  private void awaitUpToDate() throws Exception {
    daemon.awaitUpToDate(DataLog.read(new Kb(kb).dataLog()).entries().size(), PATIENCE);
  }

  /** Waits until no work is due. */
  private void awaitIdle() throws Exception {
    awaitUpToDate();
    Thread.sleep(Duration.ofSeconds(40)); // the daemon does its chores at least every 30 s
    awaitUpToDate();
  }

  private void notice() throws Exception {
    List<String> took = new ArrayList<>();
    for (int i = 0; i <= WRITES; i++) {
      String seconds = secondsToReport();
      if (i > 0) { // the first write loads the model
        took.add(seconds);
      }
      Thread.sleep(BETWEEN_WRITES);
    }
    System.out.printf(
        "rest: from writing an entry to its report, %d s after the one before, %,d entries, model"
            + " loaded: %s s%n",
        BETWEEN_WRITES.toSeconds(), live(), String.join(" ", took));
  }

  private int live() throws IOException {
    return DaemonFixture.report(new Kb(kb)).at("/log/liveEntries").asInt();
  }

  /** Writes an entry; returns the seconds until it is in the report. */
  private String secondsToReport() throws Exception {
    Path report = ReportFolder.of(new Kb(kb)).json();
    int live = live();
    GeneratedKb.append(kb, "A note written at " + System.currentTimeMillis());
    long start = System.nanoTime();
    FileTime before = Files.getLastModifiedTime(report);
    while (live() == live) {
      while (Files.getLastModifiedTime(report).equals(before)) {
        Thread.sleep(5);
      }
      before = Files.getLastModifiedTime(report);
    }
    return String.format(Locale.ROOT, "%.2f", (System.nanoTime() - start) / 1e9);
  }

  private void rest(Duration time) throws Exception {
    long pid = daemon.process().pid();
    JsonNode before = daemon.status().orElseThrow();
    if (before.path("embedderLoaded").asBoolean()) {
      throw new IllegalStateException("the model was not released");
    }
    double cpu = cpuSeconds();
    long read = bytesRead(pid);
    Thread.sleep(time);
    double used = cpuSeconds() - cpu;
    read = bytesRead(pid) - read;
    JsonNode after = daemon.status().orElseThrow();
    System.out.printf(
        Locale.ROOT,
        "rest: %d s: %.2f s of processor time, %.4f %% of a core; %d looks, %d readings of the log,"
            + " %d reports, %.3f s of work, %d bytes read; heap in use %.1f MB before, %.1f MB"
            + " after; resident %.1f MB before, %.1f MB after%n",
        time.toSeconds(),
        used,
        100 * used / time.toSeconds(),
        grown("ticks", before, after),
        grown("readings", before, after),
        grown("reports", before, after),
        after.at("/metrics/workSeconds").asDouble() - before.at("/metrics/workSeconds").asDouble(),
        read,
        before.at("/metrics/heapBytes").asLong() / 1e6,
        after.at("/metrics/heapBytes").asLong() / 1e6,
        before.at("/metrics/residentBytes").asLong() / 1e6,
        after.at("/metrics/residentBytes").asLong() / 1e6);
  }

  private static long grown(String count, JsonNode before, JsonNode after) {
    return after.at("/metrics/" + count).asLong() - before.at("/metrics/" + count).asLong();
  }

  /**
   * Returns the bytes read from files, sockets and pipes; bytes of mapped files are not counted.
   */
  private static long bytesRead(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/io")).stream()
        .filter(line -> line.startsWith("rchar:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .sum();
  }

  /** Returns the processor seconds of all threads, also of ended threads, in steps of 0.01 s. */
  private double cpuSeconds() {
    return daemon.process().info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
  }
}
