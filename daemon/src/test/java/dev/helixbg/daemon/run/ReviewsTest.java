package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.FakeClock;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.FakePairs;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.Cosine;
import dev.helixbg.embed.Embedder;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.review.Review;
import dev.helixbg.llm.gguf.GgufException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews as views of the last report. */
class ReviewsTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path folder;

  private final FakeModel words = new WordModel();
  private Settings settings;
  private KbStores stores;
  private WritableKb kb;

  /** Texts are near that share words. */
  private static final class WordModel extends FakeModel {
    @Override
    public Embedder open() {
      return new Embedder() {
        @Override
        public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
          for (int i = 0; i < texts.size(); i++) {
            float[] sum = new float[384];
            for (String word : texts.get(i).split("\\W+")) {
              float[] vector = FakeEmbedder.vectorOf(word);
              for (int at = 0; at < sum.length; at++) {
                sum[at] += vector[at];
              }
            }
            float length = (float) Math.sqrt(Cosine.of(sum, sum));
            for (int at = 0; at < sum.length; at++) {
              sum[at] /= length;
            }
            sink.accept(i, sum);
          }
        }

        @Override
        public void close() {}
      };
    }
  }

  @BeforeEach
  void make() throws Exception {
    settings = DaemonFixture.settings(folder, Map.of());
    stores = new KbStores(settings, notice -> {});
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
  }

  /** Of some topics and times, each with words of its own; copies, links and long ones too. */
  private void write(Random random, int entries) throws IOException {
    DataLogBytes log = new DataLogBytes();
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      int topic = random.nextInt(4);
      StringBuilder body = new StringBuilder("note");
      if (random.nextInt(8) == 0 && i > 0) {
        body.insert(0, "[links: topic-" + random.nextInt(4) + ":" + random.nextInt(5) + "]\n");
      }
      int words = random.nextInt(12) == 0 ? 400 : 3 + random.nextInt(8);
      for (int w = 0; w < words; w++) {
        body.append(" word")
            .append(random.nextInt(3) == 0 ? 9 : topic / 2)
            .append(random.nextInt(9));
      }
      bodies.add(random.nextInt(9) == 0 && i > 0 ? bodies.get(random.nextInt(i)) : body.toString());
      int day = random.nextInt(6);
      log.entry("topic-" + topic, bodies.get(i), day == 0 ? 0 : 29_000_000 + 900 * day);
    }
    Files.write(kb.log(), log.toByteArray());
  }

  private KbStore store() {
    return stores.of(kb.kb());
  }

  /** A run with a judge that puts pairs in its order. */
  private void run() throws InterruptedException {
    RerankingStage reading =
        new RerankingStage(Optional.of(new FakePairs()), Progress.Display.SILENT, warning -> {});
    new OneShotRun(DaemonFixture.pipeline(settings, words, reading))
        .run(store(), (last, now) -> false, Optional.empty());
  }

  private Review review() throws InterruptedException {
    return review(settings, false);
  }

  private Review review(Settings now, boolean keep) throws InterruptedException {
    Reviews reviews = new Reviews(now, words.ids());
    FakeClock clock = new FakeClock();
    try (LanguageModelHost models = new LanguageModelHost(now, clock, new DaemonMetrics(clock))) {
      return reviews.onDemand(
          store(),
          reviews.subject(store(), DataLog.read(kb.log())),
          models,
          model -> JudgeProgress.SILENT,
          AT,
          keep);
    }
  }

  private static List<String> ids(Review review) {
    return review.items().stream().map(Review.Item::id).toList();
  }

  @Test
  void withoutAReportThereIsNoReview() {
    Failure none = assertThrows(Failure.class, () -> review());
    assertEquals(ExitCode.KB, none.code());
  }

  @Test
  void everyItemIsAFindingOfTheReport() throws Exception {
    write(new Random(3), 100);
    run();
    LastReport.Listing listing = store().report().list();
    Review review = review();
    assertTrue(listing.ids().containsAll(ids(review)), review.toString());
    assertEquals(AT, review.at());
    assertTrue(review.items().size() > 10, review.items().size() + " items");
  }

  @Test
  void whatWasDecidedOrIsGoneIsInNoReview() throws Exception {
    write(new Random(3), 100);
    run();
    String first = ids(review()).getFirst();
    store().decisions().add(List.of(new Decision(first, Outcome.DISMISSED, AT, "", By.PERSON, "")));
    assertFalse(ids(review()).contains(first));
    assertTrue(review().items().size() > 0);
    Files.write(kb.log(), new DataLogBytes().toByteArray());
    assertEquals(List.of(), review().items(), "their entries are gone");
  }

  @Test
  void aReviewChangesNeitherReportNorFindings() throws Exception {
    write(new Random(3), 60);
    run();
    byte[] report = Files.readAllBytes(ReportFolder.of(kb.kb()).json());
    int number = store().report().origin().orElseThrow().number();
    review(settings, true);
    assertArrayEquals(report, Files.readAllBytes(ReportFolder.of(kb.kb()).json()));
    assertEquals(number, store().report().origin().orElseThrow().number());
  }

  @Test
  void aSessionBeginsWhereTheLastThatWasKeptEnded() throws Exception {
    kb.append("a", "said once");
    kb.append("a", "said once");
    run();
    Review.Item item = review().items().getFirst();
    assertEquals(
        "a:1 repeats a:0", item.a().name() + " " + item.relation() + " " + item.b().name());
    assertEquals(0, store().sessions().version(), "it was not to be kept");
    Review kept = review(settings, true);
    assertTrue(kept.summary().startsWith("2 new entries in a (2)."), kept.summary());
    assertEquals("Nothing new was written.", review(settings, true).summary());
    assertEquals(1, store().sessions().version(), "one of nothing is not kept");
    kb.append("b", "another");
    run();
    assertTrue(review().summary().startsWith("1 new entry in b (1)."));
  }

  /** A session without new entries asks nothing: no model is loaded then. */
  @Test
  void aLanguageModelIsLoadedForNewEntriesOnly() throws Exception {
    Path gguf = Files.writeString(folder.resolve("none.gguf"), "not a model");
    Settings judged = DaemonFixture.settings(folder, Map.of("llm.model", gguf.toString()));
    write(new Random(3), 60);
    run();
    assertThrows(GgufException.class, () -> review(judged, true));
    review(settings, true);
    assertEquals("Nothing new was written.", review(judged, true).summary());
  }
}
