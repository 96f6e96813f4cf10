package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Locations;
import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.embed.cache.CacheRow;
import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.RunningAnalysis;
import dev.helixbg.insight.review.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A watch over one KB with a clock, files and a model that a test controls. */
final class DaemonFixture {
  static final Progress.Display SILENT = (what, total) -> Progress.SILENT;

  final FakeClock clock = new FakeClock();
  final FaultyFiles files = new FaultyFiles();
  final FakeModel model;
  final DaemonMetrics metrics = new DaemonMetrics(clock);
  final Troubles troubles = new Troubles(metrics);
  final Settings settings;
  final KbWatch watch;
  final DaemonLoop loop;

  /** Whether a test tells of changes by {@link DaemonLoop#hint}. */
  boolean told = true;

  private final Kb kb;

  DaemonFixture(Path home, Kb kb) {
    this(home, kb, Map.of());
  }

  DaemonFixture(Path home, Kb kb, Map<String, String> flags) {
    this(home, kb, flags, new FakeModel());
  }

  DaemonFixture(Path home, Kb kb, Map<String, String> flags, FakeModel model) {
    this.kb = kb;
    this.model = model;
    this.settings = settings(home, flags);
    this.watch =
        new KbWatch(
            kb,
            new Pipeline(
                settings,
                model,
                new RunningAnalysis()::update,
                Judging.withoutAsking(settings),
                metrics.countingEmbedded()),
            () -> {},
            settings.daemon(),
            files,
            followed -> told,
            clock,
            troubles,
            metrics);
    this.loop = new DaemonLoop(clock, ticked -> Long.MAX_VALUE);
    loop.watch(List.of(watch));
  }

  static Settings settings(Path home, Map<String, String> flags) {
    Map<String, String> all = new HashMap<>(Map.of("threads", "1"));
    all.putAll(flags);
    return new SettingsLoader(new Locations(home, home.resolve("cache")), Map.of())
        .load(Optional.empty(), all)
        .settings();
  }

  /** Lets the loop run for so long. */
  void run(Duration time) throws InterruptedException {
    long end = clock.nanos() + time.toNanos();
    while (clock.nanos() - end < 0) {
      long wait = Math.max(1, loop.step());
      clock.pass(Duration.ofNanos(Math.min(wait, end - clock.nanos())));
    }
  }

  /** Lets the loop look at the KB now, and no time pass. */
  void look() throws InterruptedException {
    loop.lookNext();
    loop.step();
  }

  /** Report and cache are those of a run from nothing over the same log and decisions. */
  void assertAsFromNothing(Path scratch) throws IOException, InterruptedException {
    assertAsFromNothing(kb, scratch, settings, new FakeModel(), 0);
  }

  static void assertAsFromNothing(
      Kb kb, Path scratch, Settings settings, EmbedderSource model, double tolerance)
      throws IOException, InterruptedException {
    Kb fresh = new Kb(Files.createDirectories(scratch));
    Files.copy(kb.dataLog(), fresh.dataLog());
    Files.createDirectories(fresh.insights());
    for (String name : List.of(DecisionFile.NAME, History.NAME)) {
      if (Files.exists(kb.insights().resolve(name))) {
        Files.copy(kb.insights().resolve(name), fresh.insights().resolve(name));
      }
    }
    Pipeline once =
        new Pipeline(settings, model, Analysis::run, Judging.withoutAsking(settings), SILENT);
    ReportFolder.of(fresh).write(once.run(fresh, Saving.PUBLISHED).report());
    assertSameVectors(fresh, kb, tolerance);
    if (tolerance == 0) {
      assertEquals(
          Files.readString(ReportFolder.of(fresh).json()),
          Files.readString(ReportFolder.of(kb).json()));
      assertEquals(
          Files.readString(ReportFolder.of(fresh).markdown()),
          Files.readString(ReportFolder.of(kb).markdown()));
      assertEquals(
          Files.readString(ReportFolder.of(fresh).html()),
          Files.readString(ReportFolder.of(kb).html()));
    }
  }

  private static void assertSameVectors(Kb expected, Kb found, double tolerance) {
    CachedVectors a = new EmbeddingCache(expected.folder()).read();
    CachedVectors b = new EmbeddingCache(found.folder()).read();
    if (a.rows().isEmpty()) {
      assertEquals(0, b.rows().size());
      return;
    }
    assertEquals(CachedVectors.State.GOOD, b.state(), b.reason());
    assertEquals(
        a.rows().stream().map(CacheRow::offset).toList(),
        b.rows().stream().map(CacheRow::offset).toList());
    for (int i = 0; i < a.rows().size(); i++) {
      assertArrayEquals(a.rows().get(i).vector(), b.rows().get(i).vector(), (float) tolerance);
    }
  }
}
