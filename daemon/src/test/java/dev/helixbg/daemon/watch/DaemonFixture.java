package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.FaultyFiles;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.IncrementalAnalysis;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@link KbWatch} with a clock, files and a model that a test controls. */
public final class DaemonFixture {
  public static final Progress.Display SILENT = Progress.Display.SILENT;

  /** Stage without a pair judge. */
  public static final RerankingStage NO_READING =
      new RerankingStage(Optional.empty(), 1, SILENT, warning -> {});

  public final FakeClock clock = new FakeClock();
  public final FaultyFiles files = new FaultyFiles();
  public final FakeModel model;
  public final DaemonMetrics metrics = new DaemonMetrics();
  public final TroubleLog troubles = new TroubleLog(metrics, clock);
  public final Settings settings;
  public final KbWatch watch;
  final DaemonLoop loop;

  /** Number of times that entries were compared. */
  int analyses;

  public final KbStores stores;

  /** Messages about moved or copied stores. */
  public final List<String> notices = new ArrayList<>();

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
    this.stores = new KbStores(settings, notices::add);
    this.watch =
        new KbWatch(
            kb,
            stores,
            new Pipeline(
                settings,
                model,
                counting(new IncrementalAnalysis()),
                reading,
                JudgingStage.withoutAsking(settings),
                (_, _, _) -> (texts, _) -> metrics.embedded.add(texts)),
            () -> {},
            files,
            clock,
            troubles,
            metrics);
    this.loop = new DaemonLoop(clock, List.of(watch), () -> Long.MAX_VALUE);
  }

  private Pipeline.Analyst counting(IncrementalAnalysis analysis) {
    return (entries, vectors, passages, threads) -> {
      analyses++;
      return analysis.update(entries, vectors, passages, threads);
    };
  }

  /** Returns a pipeline as in one-shot: it compares all entries, but asks no language model. */
  public static Pipeline pipeline(Settings settings, EmbedderSource model, RerankingStage reading) {
    return new Pipeline(
        settings, model, Analysis::run, reading, JudgingStage.withoutAsking(settings), SILENT);
  }

  /** Runs as one-shot does; leaves a report that is up to date. */
  public static OneShotRun.Result oneShot(Pipeline pipeline, KbStore store)
      throws InterruptedException {
    return new OneShotRun(pipeline)
        .run(store, (last, now) -> last.basis().equals(now), Optional.empty());
  }

  public static OneShotRun.Result oneShot(Settings settings, KbStore store)
      throws InterruptedException {
    return oneShot(pipeline(settings, new FakeModel(), NO_READING), store);
  }

  /** Publishes the report of a whole run, even if nothing has changed. */
  public static void publish(Settings settings, KbStore store) throws Exception {
    Pipeline pipeline = pipeline(settings, new FakeModel(), NO_READING);
    store.publish(whole(pipeline, store).report(), pipeline.basis(store), 0, "");
  }

  public static Settings settings(Path home, Map<String, String> flags) {
    Map<String, String> all = new HashMap<>(Map.of("threads", "1"));
    all.putAll(flags);
    return new SettingsLoader(
            new UserDirectories(home, home.resolve("cache"), home.resolve("state")), Map.of())
        .load(Optional.empty(), all)
        .settings();
  }

  /** Returns the store of a KB, with the settings of {@link #settings}. */
  public static KbStore store(Path home, Kb kb) {
    return new KbStores(settings(home, Map.of()), notice -> {}).of(kb);
  }

  /** Returns actions that each begin a fault; {@link #mend} ends all faults. */
  List<Runnable> faults() {
    return List.of(
        () -> files.noStat = true,
        () -> files.noRead = true,
        () -> files.fullDisk = true,
        () -> files.locked = true,
        () -> model.broken = true);
  }

  void mend() {
    files.noStat = false;
    files.noRead = false;
    files.fullDisk = false;
    files.locked = false;
    model.broken = false;
  }

  /** Runs the loop for a time. */
  public void run(Duration time) throws InterruptedException {
    long end = clock.nanos() + time.toNanos();
    while (clock.nanos() - end < 0) {
      long wait = Math.max(1, loop.step());
      clock.pass(Duration.ofNanos(Math.min(wait, end - clock.nanos())));
    }
  }

  /** Lets the loop check the KB now; no time passes. */
  public void look() throws InterruptedException {
    loop.lookNext();
    loop.step();
  }

  public KbStore store() {
    return stores.of(kb);
  }

  public JsonNode report() throws IOException {
    return report(kb);
  }

  public static JsonNode report(Kb kb) throws IOException {
    return new ObjectMapper().readTree(ReportFolder.of(kb).json().toFile());
  }

  /** Asserts that report and vectors equal those of a new store with the same log and decisions. */
  void assertAsFromNothing(Path scratch) throws IOException, InterruptedException {
    assertAsFromNothing(store(), scratch, new FakeModel(), 0);
  }

  /**
   * @param scratch new folder for the KB and the store of the run to compare with
   */
  public static void assertAsFromNothing(
      KbStore known, Path scratch, EmbedderSource model, double tolerance)
      throws IOException, InterruptedException {
    Kb kb = known.kb();
    Kb fresh = new Kb(Files.createDirectories(scratch.resolve("kb")));
    Files.copy(kb.dataLog(), fresh.dataLog(), StandardCopyOption.COPY_ATTRIBUTES);
    Settings settings = settings(scratch, Map.of());
    try (KbStores stores = new KbStores(settings, notice -> {})) {
      KbStore store = stores.of(fresh);
      List<Decision> settled = List.copyOf(known.decisions().read().settled());
      if (!settled.isEmpty()) {
        store.decisions().add(settled);
      }
      new OneShotRun(pipeline(settings, model, NO_READING))
          .run(store, (last, now) -> false, Optional.empty());
      assertSameVectors(
          VectorStore.ofEntries(store.database()).read().byKey(),
          VectorStore.ofEntries(known.database()).read().byKey(),
          tolerance);
    }
    if (tolerance == 0) {
      for (String name : List.of("report.json", "report.md", "report.html", "../embeddings.bin")) {
        assertArrayEquals(
            Files.readAllBytes(fresh.insights().resolve(name)),
            Files.readAllBytes(kb.insights().resolve(name)),
            name);
      }
    }
  }

  private static void assertSameVectors(
      Map<TextKey, float[]> expected, Map<TextKey, float[]> found, double tolerance) {
    expected.forEach(
        (key, vector) -> {
          assertTrue(found.containsKey(key), key.hex());
          assertArrayEquals(vector, found.get(key), (float) tolerance);
        });
  }

  /** Returns the outcome of a whole run over a KB, without publishing it. */
  public static Pipeline.Outcome whole(Pipeline pipeline, KbStore store)
      throws InterruptedException {
    return pipeline.run(store, DataLog.readQuiet(store.kb().dataLog()), look -> {});
  }
}
