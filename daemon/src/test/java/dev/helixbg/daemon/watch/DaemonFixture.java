package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.FaultyFiles;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.IncrementalAnalysis;
import dev.helixbg.insight.review.ReviewHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A watch over one KB with a clock, files and a model that a test controls. */
public final class DaemonFixture {
  public static final Progress.Display SILENT = Progress.Display.SILENT;

  /** Without a pair judge. */
  public static final RerankingStage NO_READING =
      new RerankingStage(Optional.empty(), SILENT, warning -> {});

  public final FakeClock clock = new FakeClock();
  public final FaultyFiles files = new FaultyFiles();
  final FakeModel model;
  public final DaemonMetrics metrics = new DaemonMetrics(clock);
  public final TroubleLog troubles = new TroubleLog(metrics);
  public final Settings settings;
  public final KbWatch watch;
  final DaemonLoop loop;

  /** Whether a test tells of changes by {@link DaemonLoop#hint}. */
  boolean told = true;

  /** Times that entries were compared. */
  int analyses;

  private final Kb kb;

  public DaemonFixture(Path home, Kb kb) {
    this(home, kb, Map.of());
  }

  public DaemonFixture(Path home, Kb kb, Map<String, String> flags) {
    this(home, kb, flags, new FakeModel());
  }

  public DaemonFixture(Path home, Kb kb, Map<String, String> flags, FakeModel model) {
    this(home, kb, flags, model, NO_READING);
  }

  public DaemonFixture(
      Path home, Kb kb, Map<String, String> flags, FakeModel model, RerankingStage reading) {
    this.kb = kb;
    this.model = model;
    this.settings = settings(home, flags);
    this.watch =
        new KbWatch(
            kb,
            new Pipeline(
                settings,
                model,
                counting(new IncrementalAnalysis()),
                reading,
                JudgingStage.withoutAsking(settings),
                metrics.countingEmbedded()),
            () -> {},
            files,
            followed -> told,
            clock,
            troubles,
            metrics);
    this.loop = new DaemonLoop(clock, () -> Long.MAX_VALUE);
    loop.watch(List.of(watch));
  }

  private Pipeline.Analyst counting(IncrementalAnalysis analysis) {
    return (entries, vectors, passages, settings, threads) -> {
      analyses++;
      return analysis.update(entries, vectors, passages, settings, threads);
    };
  }

  /** As one-shot has it: compares all with all, and asks no language model. */
  public static Pipeline pipeline(Settings settings, EmbedderSource model, RerankingStage reading) {
    return new Pipeline(
        settings, model, Analysis::run, reading, JudgingStage.withoutAsking(settings), SILENT);
  }

  public static Settings settings(Path home, Map<String, String> flags) {
    Map<String, String> all = new HashMap<>(Map.of("threads", "1"));
    all.putAll(flags);
    return new SettingsLoader(new UserDirectories(home, home.resolve("cache")), Map.of())
        .load(Optional.empty(), all)
        .settings();
  }

  /** Lets the loop run for so long. */
  public void run(Duration time) throws InterruptedException {
    long end = clock.nanos() + time.toNanos();
    while (clock.nanos() - end < 0) {
      long wait = Math.max(1, loop.step());
      clock.pass(Duration.ofNanos(Math.min(wait, end - clock.nanos())));
    }
  }

  /** Lets the loop look at the KB now, and no time pass. */
  public void look() throws InterruptedException {
    loop.lookNext();
    loop.step();
  }

  /** Report and cache are those of a run from nothing over the same log and decisions. */
  void assertAsFromNothing(Path scratch) throws IOException, InterruptedException {
    assertAsFromNothing(kb, scratch, settings, new FakeModel(), 0);
  }

  public static void assertAsFromNothing(
      Kb kb, Path scratch, Settings settings, EmbedderSource model, double tolerance)
      throws IOException, InterruptedException {
    Kb fresh = new Kb(Files.createDirectories(scratch));
    Files.copy(kb.dataLog(), fresh.dataLog());
    Files.createDirectories(fresh.insights());
    for (String name : List.of(DecisionFile.NAME, ReviewHistory.NAME)) {
      if (Files.exists(kb.insights().resolve(name))) {
        Files.copy(kb.insights().resolve(name), fresh.insights().resolve(name));
      }
    }
    Pipeline once = pipeline(settings, model, NO_READING);
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
    CacheContents a = new EmbeddingCache(expected.folder()).read();
    CacheContents b = new EmbeddingCache(found.folder()).read();
    if (a.rows().isEmpty()) {
      assertEquals(0, b.rows().size());
      return;
    }
    assertEquals(CacheContents.State.GOOD, b.state(), b.reason());
    assertEquals(
        a.rows().stream().map(CacheRow::offset).toList(),
        b.rows().stream().map(CacheRow::offset).toList());
    for (int i = 0; i < a.rows().size(); i++) {
      assertArrayEquals(a.rows().get(i).vector(), b.rows().get(i).vector(), (float) tolerance);
    }
  }
}
