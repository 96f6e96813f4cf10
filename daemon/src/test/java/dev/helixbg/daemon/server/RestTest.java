package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.FaultyFiles;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.run.KnownTrial;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.llm.golden.GoldenModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Simulates days in which nothing changes, for a whole daemon with a clock that the test advances.
 * The daemon may check files, but must not read, compare or load anything.
 */
@Timeout(900)
class RestTest {
  @TempDir Path folder;

  private final FakeClock clock = new FakeClock();
  private final FaultyFiles files = new FaultyFiles();
  private final FakeModel model = new FakeModel();
  private WritableKb writer;
  @AutoClose private Daemon daemon;
  private boolean battery;
  private double load;
  private int runs;

  private void start(Map<String, String> more) throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    writer.append("a", "The team agreed to move the offset into the worker.");
    writer.append("b", "The team agreed to move the offset into the worker.");
    writer.append(10);
    Map<String, String> all = new HashMap<>(Map.of("daemon.poll_seconds", "30"));
    all.putAll(more);
    Settings settings = DaemonFixture.settings(folder, all);
    if (more.containsValue(GoldenModel.Q4_K_M.path().toString())) {
      KnownTrial.of(settings); // otherwise the model would be measured first
    }
    IdleWork.Machine machine = new IdleWork.Machine(() -> battery, () -> load);
    daemon =
        Daemon.start(
            List.of(writer.kb()),
            new DaemonHome(folder.resolve("h")),
            settings,
            model,
            new Daemon.World(clock, files, machine, any -> Optional.empty()));
  }

  /** Lets time pass; while idle work runs, no time passes. */
  private void live(Duration time) throws InterruptedException {
    long end = clock.nanos() + time.toNanos();
    boolean ran = false;
    while (clock.nanos() - end < 0) {
      long wait = Math.max(1, daemon.loop.step());
      while (daemon.idle.current().isPresent()) {
        Thread.sleep(1);
      }
      boolean runs = daemon.idle.isRunning();
      this.runs += runs && !ran ? 1 : 0;
      ran = runs;
      clock.pass(Duration.ofNanos(Math.min(wait, end - clock.nanos())));
    }
  }

  private KbWatch watch() {
    return daemon.watches.getFirst();
  }

  /** Returns the amount of each kind of work so far; checks of files do not count as work. */
  private Map<String, Number> work() {
    DaemonMetrics metrics = daemon.host.metrics();
    return Map.of(
        "logs read, and thereby compared", files.readings,
        "time in which a KB was brought up to date", metrics.workNanos.sum(),
        "runs of idle work, which read and compare, too", runs,
        "times that the embedding model was loaded", model.opened.get(),
        "time in which the language model was used", metrics.modelNanos.sum(),
        "reports", metrics.reports.sum(),
        "changes that were seen", watch().changes());
  }

  private void assertThreeDaysOfRest() throws Exception {
    assertFalse(watch().upToDateWith().isEmpty());
    assertFalse(daemon.host.embedder().isLoaded());
    assertFalse(daemon.idle.isRunning(), "the language model may be loaded");
    Map<String, Number> before = work();
    int looks = files.looks;
    live(Duration.ofDays(3));
    assertEquals(before, work());
    int looked = files.looks - looks;
    assertTrue(looked > 3 * 2_800 * 2, "it was awake: " + looked + " looks at files");
    writer.append();
    live(Duration.ofHours(1));
    assertEquals(13, watch().update().entries(), "and sees what is new");
  }

  @Test
  void withEverythingAskedThreeDaysAreRest() throws Exception {
    start(Map.of("llm.model", GoldenModel.Q4_K_M.path().toString()));
    live(Duration.ofHours(2));
    assertEquals(0, watch().update().questions());
    assertThreeDaysOfRest();
  }

  @Test
  void onBatteryNothingIsAsked() throws Exception {
    battery = true;
    start(Map.of("llm.model", GoldenModel.Q4_K_M.path().toString()));
    live(Duration.ofHours(2));
    assertEquals(0, runs);
    assertThreeDaysOfRest();
    battery = false;
    live(Duration.ofHours(1));
    assertTrue(runs > 0);
  }

  @Test
  void withoutALanguageModelThreeDaysAreRest() throws Exception {
    start(Map.of());
    live(Duration.ofHours(2));
    assertEquals(0, runs);
    assertThreeDaysOfRest();
  }

  /** An unusable model must be tried less and less often, not four times a second. */
  @Test
  void aBrokenModelIsTriedLessAndLessOften() throws Exception {
    Path broken = folder.resolve("broken.gguf");
    Files.writeString(broken, "no model at all");
    start(Map.of("llm.model", broken.toString()));
    live(Duration.ofHours(2));
    int looks = files.looks;
    int begun = runs;
    live(Duration.ofHours(8));
    assertTrue(runs - begun <= 4 * 8, runs - begun + " runs in the next eight hours");
    assertTrue(files.looks - looks < 2_000_000 / 9, files.looks - looks + " looks");
  }
}
