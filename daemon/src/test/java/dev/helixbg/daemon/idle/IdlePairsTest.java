package dev.helixbg.daemon.idle;

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
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.EmbeddingException;
import dev.helixbg.embed.PairReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many pairs are read while nobody waits; few at once; and the report is that of a run at once. */
@Timeout(300)
class IdlePairsTest {
  private static final int ENTRIES = 600;

  @TempDir Path folder;

  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private WritableKb writer;
  private DaemonFixture daemon;
  @AutoClose private IdleFixture idle;
  private final FakePairs pairs = new FakePairs();

  @BeforeEach
  void start() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    for (int i = 0; i < ENTRIES; i++) {
      writer.append("topic-" + i % 3, "note " + i + " is like no other");
    }
    daemon = new DaemonFixture(folder, writer.kb(), Map.of(), new FakeModel(), reading(pairs));
    idle = new IdleFixture(daemon);
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

  /** The judge is prepared by the first run, and stopped then its files cannot be written. */
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
  void manyPairsAreReadByThemselvesAndFewAtOnce() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    assertTrue(daemon.report().hasNonNull("firstLook"));
    assertEquals(ENTRIES / 2, daemon.watch.update().pairsLeft());
    assertEquals(0, pairs.opened.get());
    assertTrue(daemon.report().at("/relations/0/assessment").isNull());

    assertTrue(idle.consider(), "though the machine is on battery and busy");
    idle.await();
    assertEquals(ENTRIES / 2, pairs.read.get());
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.report().hasNonNull("firstLook"));
    assertTrue(daemon.report().at("/relations/0/assessment").isObject());
    assertEquals(0, daemon.watch.update().pairsLeft());
    assertFalse(idle.consider(), "nothing is left");
    assertEquals(ENTRIES / 2, pairs.read.get());
    assertAsAtOnce();

    writer.append("topic-1", "a new note");
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.report().hasNonNull("firstLook"), "a few are read at once");
    int more = pairs.read.get() - ENTRIES / 2;
    assertTrue(more < 128, more + " pairs were read again");
    assertEquals(List.of(), warnings);
  }

  @Test
  void aChangeComesFirstAndNothingIsLost() throws Exception {
    daemon.run(Duration.ofSeconds(10));
    pairs.hold.at = 70;
    assertTrue(idle.consider());
    pairs.hold.reached.await();
    writer.append("topic-1", "a short one");
    daemon.look();
    assertTrue(daemon.watch.upToDateWith().isEmpty());
    idle.consider();
    idle.await();
    pairs.hold.at = -1;
    assertEquals(70, pairs.read.get());
    for (int i = 0; i < 3; i++) {
      daemon.run(Duration.ofSeconds(10));
      idle.consider();
      idle.await();
    }
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.report().hasNonNull("firstLook"));
    assertAsAtOnce();
  }

  @Test
  void aJudgeThatCannotBeUsedIsToldOfOnceAndTheListStaysAsItWas() throws Exception {
    pairs.broken = "no such graph";
    daemon.run(Duration.ofSeconds(10));
    idle.consider();
    idle.await();
    daemon.look();
    daemon.run(Duration.ofSeconds(10));
    assertFalse(daemon.report().hasNonNull("firstLook"));
    assertTrue(daemon.report().at("/relations/0/assessment").isNull());
    assertTrue(daemon.report().get("relations").size() >= 200);
    daemon.run(Duration.ofMinutes(2));
    assertFalse(idle.consider());
    assertEquals(
        List.of(
            "pairs are ranked by vectors and words alone, without the pair judge: no such graph"),
        warnings);
  }
}
