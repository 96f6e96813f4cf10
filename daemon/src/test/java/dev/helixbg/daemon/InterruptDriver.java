package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.kb.GeneratedKb;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Measures how soon a real daemon stops asking the language model after a change of the log.
 * Started by scripts/bench-interrupt.
 */
final class InterruptDriver {
  private static final int ENTRIES = 2_000;

  /** Number of measurements in a process. In a new process, no code is compiled yet. */
  private static final int PER_PROCESS = 5;

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Path kb;
  private final RealDaemon daemon;

  private InterruptDriver(Path kb, RealDaemon daemon) {
    this.kb = kb;
    this.daemon = daemon;
  }

  /**
   * Arguments: number of measurements (a multiple of five), the dist folder, a work folder, a model
   * file.
   */
  public static void main(String[] arguments) throws Exception {
    int times = Integer.parseInt(arguments[0]);
    Path folder = Files.createDirectories(Path.of(arguments[2]));
    Path kb = folder.resolve("kb");
    if (!Files.exists(kb.resolve("data.log"))) {
      GeneratedKb.write(kb, ENTRIES);
    }
    try (RealDaemon daemon =
        new RealDaemon(folder.resolve("home"), Path.of(arguments[1]), List.of())) {
      daemon.settings(
          """
          [daemon]
          poll_seconds = 0.5
          quiet_seconds = 0.2
          model_quiet_minutes = 0.01
          model_max_load = 1000
          [llm]
          model = "%s"
          """
              .formatted(arguments[3]));
      InterruptDriver driver = new InterruptDriver(kb, daemon);
      List<Double> seconds = new ArrayList<>();
      List<Double> stops = new ArrayList<>();
      Random random = new Random();
      for (int i = 0; i < times; i++) {
        if (i % PER_PROCESS == 0) {
          daemon.start(kb);
        }
        driver.awaitAsking();
        Thread.sleep(random.nextLong(2_000));
        seconds.add(driver.interrupt());
        if ((i + 1) % PER_PROCESS == 0) {
          driver.awaitAsking();
          stops.add(daemon.end().toMillis() / 1e3);
        }
      }
      print("a change", seconds);
      print("SIGTERM", stops);
    }
  }

  private static void print(String what, List<Double> seconds) {
    System.out.printf(
        Locale.ROOT,
        "interrupt: %s: %s s; median %.2f, longest %.2f s%n",
        what,
        seconds.stream()
            .map(one -> String.format(Locale.ROOT, "%.2f", one))
            .collect(Collectors.joining(" ")),
        seconds.stream().sorted().toList().get(seconds.size() / 2),
        seconds.stream().max(Double::compare).orElseThrow());
  }

  private JsonNode status() {
    return daemon.status().orElseThrow();
  }

  /** Waits until the model is loaded and computes. */
  private void awaitAsking() throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!daemon.status().map(InterruptDriver::isAsking).orElse(false)) {
      if (System.nanoTime() > deadline || !daemon.process().isAlive()) {
        throw new IllegalStateException("nothing is asked: " + daemon.status() + daemon.log());
      }
      Thread.sleep(50);
    }
  }

  private static boolean isAsking(JsonNode status) {
    return status.at("/idleWork/answered").asInt() > 0;
  }

  /** Returns the seconds from a change to the end of the run. */
  private double interrupt() throws Exception {
    awaitAsking();
    String run = status().at("/idleWork/since").asText();
    long start = System.nanoTime();
    GeneratedKb.append(kb, "A note of " + start);
    while (status().at("/idleWork/since").asText().equals(run)) {
      Thread.sleep(5);
    }
    return (System.nanoTime() - start) / 1e9;
  }
}
