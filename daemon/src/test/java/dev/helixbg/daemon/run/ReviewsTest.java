package dev.helixbg.daemon.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.FakePairs;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.embed.Cosine;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Verdict;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.ReviewHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews of what the cache of a KB knows. */
class ReviewsTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path folder;

  private final FakeModel model = new FakeModel();
  private final FakeModel words = new WordModel();
  private Settings settings;
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
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
  }

  /** Embeds some entries, as a run does that is interrupted. */
  private void embed(List<Entry> entries) throws InterruptedException {
    new EmbeddingStage(
            new EmbeddingCache(kb.kb().folder()),
            model,
            () -> {},
            Progress.Display.SILENT,
            System::nanoTime)
        .run(entries, Saving.PUBLISHED);
  }

  private Review review(Review.Kind kind) throws InterruptedException {
    Reviews reviews = new Reviews(settings, model.ids());
    return reviews.run(
        KbIdentity.of(kb.kb()),
        new Reviews.Wanted(kind, Optional.empty()),
        reviews.subject(kb.kb()),
        Optional.empty(),
        JudgeProgress.SILENT,
        AT,
        () -> false,
        true);
  }

  @Test
  void itemsAreNamedAmongAllEntriesThoughSomeHaveNoVectorYet() throws Exception {
    kb.append("a", "not embedded yet");
    kb.append("a", "said twice");
    kb.append("a", "nor is this");
    kb.append("a", "said twice");
    List<Entry> entries = DataLog.read(kb.log()).entries();
    embed(List.of(entries.get(1)));
    Review.Item item = review(Review.Kind.SESSION).items().getFirst();
    assertEquals("a:3 repeats a:1", item.a() + " " + item.relation() + " " + item.b());
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

  /**
   * A model for which texts are near that share words, and a judge that puts pairs in its order.
   */
  private OneShotRun run(Settings now) {
    Pipeline pipeline =
        DaemonFixture.pipeline(
            now,
            words,
            new RerankingStage(
                Optional.of(new FakePairs()), Progress.Display.SILENT, warning -> {}));
    return new OneShotRun(pipeline, new SealedReports(new ReportSeal(folder.resolve("cache"))));
  }

  private Optional<Review> ofReport(Settings now, Reviews.Wanted wanted, boolean keep)
      throws InterruptedException {
    OneShotRun run = run(now);
    return new Reviews(now, words.ids())
        .ofReport(
            KbIdentity.of(kb.kb()),
            wanted,
            DataLog.read(kb.log()),
            (log, live) -> run.found(kb.kb(), log, live),
            AT,
            keep);
  }

  private Review compared(Settings now, Reviews.Wanted wanted) throws InterruptedException {
    Reviews reviews = new Reviews(now, words.ids());
    return reviews.run(
        KbIdentity.of(kb.kb()),
        wanted,
        reviews.subject(kb.kb()),
        Optional.empty(),
        JudgeProgress.SILENT,
        AT,
        () -> false,
        false);
  }

  private static List<Reviews.Wanted> all() {
    List<Reviews.Wanted> all = new ArrayList<>();
    for (Review.Kind kind : Review.Kind.values()) {
      all.add(new Reviews.Wanted(kind, Optional.empty()));
    }
    for (int topic = 0; topic < 4; topic++) {
      all.add(new Reviews.Wanted(Review.Kind.STALE, Optional.of("topic-" + topic)));
    }
    return all;
  }

  /** Order and numbers, too: the report has pairs in the order of the judge that has read them. */
  @Test
  void aReviewOutOfTheReportIsThatOfAComparison() throws Exception {
    Map<Review.Kind, Integer> items = new EnumMap<>(Review.Kind.class);
    for (int seed = 0; seed < 12; seed++) {
      kb = new WritableKb(folder.resolve("kb" + seed), new Random(1));
      write(new Random(seed), 20 + 10 * seed);
      run(settings).run(kb.kb(), (cursor, now) -> false, Optional.empty());
      for (Reviews.Wanted wanted : all()) {
        Review expected = compared(settings, wanted);
        assertEquals(Optional.of(expected), ofReport(settings, wanted, false), wanted + " " + seed);
        items.merge(wanted.kind(), expected.items().size(), Integer::sum);
      }
    }
    assertTrue(items.values().stream().allMatch(count -> count > 20), items.toString());
    assertFalse(
        Files.exists(kb.kb().insights().resolve(ReviewHistory.NAME)), "none was to be kept");
  }

  @Test
  void noReportIsBelievedThatIsNotOfThisLogTheseSettingsAndDecisions() throws Exception {
    Reviews.Wanted drift = new Reviews.Wanted(Review.Kind.DRIFT, Optional.empty());
    write(new Random(3), 60);
    assertEquals(Optional.empty(), ofReport(settings, drift, false), "there is no report");
    run(settings).run(kb.kb(), (cursor, now) -> false, Optional.empty());
    Review.Item first = ofReport(settings, drift, false).orElseThrow().items().getFirst();
    Settings others = DaemonFixture.settings(folder, Map.of("insight.topic_overlap", "0.1"));
    assertEquals(Optional.empty(), ofReport(others, drift, false));

    Pipeline.decide(
        kb.kb(), List.of(new Decision(first.id(), Verdict.DISMISSED, AT, "", By.PERSON, "")));
    assertEquals(Optional.empty(), ofReport(settings, drift, false), "it was dismissed");
    run(settings).run(kb.kb(), (cursor, now) -> false, Optional.empty());
    List<Review.Item> left = ofReport(settings, drift, false).orElseThrow().items();
    assertTrue(left.stream().noneMatch(item -> item.id().equals(first.id())));

    Path report = ReportFolder.of(kb.kb()).json();
    byte[] ours = Files.readAllBytes(report);
    Files.writeString(report, new String(ours, UTF_8).replace("topic-0", "topic-9"));
    assertEquals(Optional.empty(), ofReport(settings, drift, false), "it is not ours");
    Files.write(report, ours);
    assertTrue(ofReport(settings, drift, false).isPresent());
    kb.append("topic-0", "one more");
    assertEquals(Optional.empty(), ofReport(settings, drift, false), "the log has grown");
  }

  @Test
  void aReviewThatIsKeptChangesNoFinding() throws Exception {
    write(new Random(3), 60);
    run(settings).run(kb.kb(), (cursor, now) -> false, Optional.empty());
    Path history = kb.kb().insights().resolve(ReviewHistory.NAME);
    Reviews.Wanted stale = new Reviews.Wanted(Review.Kind.STALE, Optional.empty());
    Reviews.Wanted drift = new Reviews.Wanted(Review.Kind.DRIFT, Optional.empty());
    assertEquals(
        "now overlaps",
        ofReport(settings, drift, true).orElseThrow().items().getFirst().relation());
    assertEquals(
        "overlaps", ofReport(settings, drift, true).orElseThrow().items().getFirst().relation());
    assertTrue(ofReport(settings, stale, true).isPresent());
    assertEquals(3, Files.readAllLines(history).size());
    Reviews.Wanted session = new Reviews.Wanted(Review.Kind.SESSION, Optional.empty());
    assertTrue(ofReport(settings, session, true).orElseThrow().summary().contains("new entries"));
    assertEquals(
        "Nothing new was written.", ofReport(settings, session, true).orElseThrow().summary());
    assertEquals(4, Files.readAllLines(history).size(), "one of nothing is not kept");
  }

  /** What a language model would judge is its matter; where there is nothing, none is loaded. */
  @Test
  void aLanguageModelIsAskedWhereThereIsSomethingToJudge() throws Exception {
    Path gguf = Files.writeString(folder.resolve("none.gguf"), "not a model");
    Settings judged = DaemonFixture.settings(folder, Map.of("llm.model", gguf.toString()));
    write(new Random(3), 60);
    run(judged).run(kb.kb(), (cursor, now) -> false, Optional.empty());
    for (Reviews.Wanted wanted : all()) {
      assertEquals(Optional.empty(), ofReport(judged, wanted, false), wanted + "");
    }
    Files.write(kb.log(), new DataLogBytes().toByteArray());
    for (int i = 0; i < 6; i++) {
      kb.append("a" + i / 3, "unlike" + i);
    }
    run(judged).run(kb.kb(), (cursor, now) -> false, Optional.empty());
    Reviews.Wanted drift = new Reviews.Wanted(Review.Kind.DRIFT, Optional.empty());
    assertEquals("No two topics overlap.", ofReport(judged, drift, true).orElseThrow().summary());
  }
}
