package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.FakePairs;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairReader;
import dev.helixbg.insight.report.FirstLook;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that many pairs are read after a first look, few at once, with the same final report. */
@Timeout(300)
class FirstLookWatchTest {
  private static final int ENTRIES = 600;

  @TempDir Path folder;

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private WritableKb writer;
  private DaemonFixture daemon;

  /** Number of unread pairs at each opening of the pair judge. */
  private final List<Integer> left = new ArrayList<>();

  private final FakePairs pairs =
      new FakePairs() {
        @Override
        public PairReader open() {
          left.add(daemon.watch.update().left().map(FirstLook::pairs).orElse(0));
          return super.open();
        }
      };

  @BeforeEach
  void start() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    for (int i = 0; i < ENTRIES; i++) {
      writer.append("topic-" + i % 3, "note " + i + " is like no other");
    }
    daemon = new DaemonFixture(folder, writer.kb(), Map.of(), new FakeModel(), reading(pairs));
  }

  private RerankingStage reading(FakePairs by) {
    return new RerankingStage(Optional.of(by), 2, Progress.Display.SILENT, warnings::add);
  }

  private void assertAsAtOnce() throws Exception {
    Kb fresh = new Kb(Files.createDirectories(folder.resolve("fresh")));
    Files.copy(writer.kb().dataLog(), fresh.dataLog());
    Pipeline once =
        DaemonFixture.pipeline(daemon.settings, new FakeModel(), reading(new FakePairs()));
    ReportFolder.of(fresh).write(DaemonFixture.whole(once, daemon.stores.of(fresh)).report());
    assertEquals(
        Files.readString(ReportFolder.of(fresh).json()),
        Files.readString(ReportFolder.of(writer.kb()).json()));
  }

  /**
   * The first run prepares the judge. If the run is stopped, the judge's files cannot be written.
   */
  @Test
  void whoStopsTheFirstRunHearsOfNoFullDiskAndGetsNoReport() throws Exception {
    FakePairs stopped =
        new FakePairs() {
          @Override
          public PairReader open() {
            Thread.currentThread().interrupt();
            throw new EmbeddingException("cannot prepare the pair judge: check the free space");
          }
        };
    Kb fresh = new Kb(Files.createDirectories(folder.resolve("stopped")));
    Files.copy(writer.kb().dataLog(), fresh.dataLog());
    Pipeline once = DaemonFixture.pipeline(daemon.settings, new FakeModel(), reading(stopped));
    assertThrows(
        InterruptedException.class, () -> DaemonFixture.whole(once, daemon.stores.of(fresh)));
    assertEquals(List.of(), warnings);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void manyPairsAreReadAfterAFirstLookAndFewAtOnce() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    assertEquals(List.of(ENTRIES / 2), left, "told while they were read");
    assertEquals(2, daemon.metrics.reports.sum(), "a first look, and the report");
    assertFalse(daemon.report().hasNonNull("firstLook"));
    assertTrue(daemon.report().at("/relations/0/assessment").isObject());
    assertEquals(0, daemon.watch.update().left().map(FirstLook::pairs).orElse(0));
    assertEquals(ENTRIES / 2, pairs.read.get());
    assertAsAtOnce();

    writer.append("topic-1", "a new note");
    daemon.run(Duration.ofSeconds(10));
    assertEquals(3, daemon.metrics.reports.sum(), "a few are read at once");
    int more = pairs.read.get() - ENTRIES / 2;
    assertTrue(more < 128, more + " pairs were read again");
    assertEquals(List.of(), warnings);
  }

  @Test
  void aJudgeThatCannotBeUsedIsToldOfOnceAndTheListStaysAsItWas() throws Exception {
    pairs.broken = "no such graph";
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.report().hasNonNull("firstLook"));
    assertTrue(daemon.report().at("/relations/0/assessment").isNull());
    assertTrue(daemon.report().get("relations").size() >= 200);
    daemon.run(Duration.ofMinutes(2));
    assertEquals(
        List.of(
            "pairs are ranked by vectors and words alone, without the pair judge: no such graph"),
        warnings);
  }
}
