package dev.helixbg.daemon.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the early reports that a run without a daemon publishes before its end. */
class FirstLookRunTest {
  private static final int ENTRIES = 30;

  @TempDir Path folder;

  private Settings settings;
  private KbStores stores;
  private WritableKb writer;
  private Kb kb;
  private final List<List<String>> embedded = new CopyOnWriteArrayList<>();
  private final List<Report> looks = new ArrayList<>();

  /** Index of the text before which an embedding is interrupted. */
  private int interruptAt = Integer.MAX_VALUE;

  private final FakeModel model =
      new FakeModel() {
        @Override
        public void beforeEmbedding(List<String> texts) {
          embedded.add(texts);
        }

        @Override
        public void beforeText(int index) throws InterruptedException {
          if (index == interruptAt) {
            throw new InterruptedException();
          }
        }
      };

  @BeforeEach
  void write() throws IOException {
    settings = DaemonFixture.settings(folder, Map.of());
    stores = new KbStores(settings, notice -> {});
    writer = new WritableKb(folder.resolve("kb"), new Random(1));
    kb = writer.kb();
    for (int i = 0; i < ENTRIES; i++) {
      writer.append("topic-" + i % 3, WritableKb.longText("note " + i));
    }
  }

  /** Time for embedding before a first look at the newest entries. */
  private Duration newest = Duration.ofMinutes(1);

  private OneShotRun.Result run(Kb of, boolean withLooks) throws InterruptedException {
    Pipeline usual = DaemonFixture.pipeline(settings, model, DaemonFixture.NO_READING);
    Pipeline pipeline =
        new Pipeline(
            settings,
            model,
            usual.analyst(),
            usual.reading(),
            usual.judging(),
            usual.display(),
            usual.sources(),
            newest);
    return new OneShotRun(pipeline)
        .run(
            stores.of(of),
            (last, now) -> last.basis().equals(now),
            withLooks ? Optional.of(made -> look.accept(made.report())) : Optional.empty());
  }

  private Consumer<Report> look = this::look;

  private void look(Report look) {
    looks.add(look);
    try {
      JsonNode json = DaemonFixture.report(kb);
      assertEquals(
          look.firstLook().orElseThrow().passages(), json.at("/firstLook/passages").asInt());
      assertTrue(embedded.size() <= 1, "of entries alone");
      assertEquals(
          ENTRIES,
          VectorStore.ofEntries(stores.of(kb).database()).read().byKey().size(),
          "they are saved");
      assertFalse(isWhole(), "nothing is called done");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether the last report is complete. */
  private boolean isWhole() {
    return stores.of(kb).report().origin().orElseThrow().firstLook().isEmpty();
  }

  private void assertAsWithoutALook() throws Exception {
    Kb plain = new Kb(Files.createDirectories(folder.resolve("copy")));
    Files.copy(kb.dataLog(), plain.dataLog());
    assertTrue(run(plain, false).made().isPresent());
    for (String name : List.of("report.html", "report.md", "report.json")) {
      assertEquals(
          Files.readString(plain.insights().resolve(name)),
          Files.readString(kb.insights().resolve(name)),
          name);
    }
  }

  @Test
  void theWholeReportFollowsAndIsThatOfARunWithoutAFirstLook() throws Exception {
    assertTrue(run(kb, true).made().isPresent());
    assertEquals(1, looks.size());
    Report look = looks.getFirst();
    assertEquals(ENTRIES, look.firstLook().orElseThrow().entries());
    assertEquals(ENTRIES, look.findings().entries().size());
    assertEquals(2, embedded.size(), "entries, then passages");
    assertTrue(isWhole());

    assertAsWithoutALook();
    assertEquals(1, looks.size());
    assertTrue(run(kb, true).made().isEmpty(), "nothing is left to do");
  }

  /** Returns a KB of short entries; two entries of each kind belong together. */
  private Kb manyShort(int count) throws IOException {
    WritableKb many = new WritableKb(folder.resolve("many"), new Random(2));
    for (int i = 0; i < count; i++) {
      many.append("topic", "short note " + i / 2 + " says what note " + i / 2 + " says, " + i);
    }
    return many.kb();
  }

  @Test
  void afterSomeSecondsThereIsALookAtTheNewestAndThenTheRest() throws Exception {
    kb = manyShort(700);
    newest = Duration.ZERO;
    List<Report> seen = new ArrayList<>();
    look =
        report -> {
          seen.add(report);
          assertFalse(isWhole(), "nothing is called done");
        };
    assertTrue(run(kb, true).made().isPresent());
    Report early = seen.getFirst();
    assertEquals(256, early.findings().entries().size());
    assertEquals(444, early.firstLook().orElseThrow().unread());
    assertEquals("topic:699", early.findings().entries().getLast().name());
    assertTrue(
        early.firstLook().orElseThrow().words().contains("the newest entries. Still to come: 444"),
        early.firstLook().orElseThrow().words());
    assertTrue(early.findings().relations().size() > 50, "found among the newest");
    assertTrue(isWhole());

    assertAsWithoutALook();
  }

  /** A complete report is more useful than an early version of the next report. */
  @Test
  void whereThereIsAWholeReportItStaysUntilTheNextOne() throws Exception {
    kb = manyShort(10);
    run(kb, true);
    newest = Duration.ZERO;
    new WritableKb(kb.folder(), new Random(3), 600);
    look = report -> assertEquals(0, report.firstLook().orElseThrow().unread());
    assertTrue(run(kb, true).made().isPresent());
  }

  @Test
  void aRunThatWasEndedLeavesTheFirstLookAndTheNextGoesOn() throws Exception {
    interruptAt = 300;
    assertThrows(InterruptedException.class, () -> run(kb, true));
    assertEquals(1, looks.size());
    int passages = looks.getFirst().firstLook().orElseThrow().passages();
    assertFalse(isWhole());
    String left = Files.readString(ReportFolder.of(kb).markdown());
    assertTrue(left.contains("**This is a first look."), left);

    interruptAt = Integer.MAX_VALUE;
    embedded.clear();
    assertTrue(run(kb, true).made().isPresent());
    assertEquals(passages - 300, embedded.stream().mapToInt(List::size).sum());
    assertAsWithoutALook();
  }

  @Test
  void aFewNewEntriesCostNoReportOfTheirOwn() throws Exception {
    run(kb, true);
    looks.clear();
    writer.append("topic-1", WritableKb.longText("one more"));
    assertTrue(run(kb, true).made().isPresent());
    assertEquals(List.of(), looks);
  }
}
