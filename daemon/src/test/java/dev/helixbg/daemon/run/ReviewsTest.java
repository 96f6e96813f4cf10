package dev.helixbg.daemon.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.ReportedFinding;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.VectorUpdate.Saving;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.watch.CompleteRun;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.Review;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews of what the cache of a KB knows. */
class ReviewsTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path folder;

  private final FakeModel model = new FakeModel();
  private Settings settings;
  private WritableKb kb;

  @BeforeEach
  void make() throws Exception {
    settings = DaemonFixture.settings(folder, Map.of());
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
  }

  /** Embeds some entries, as a run does that is interrupted. */
  private void embed(List<Entry> entries) throws InterruptedException {
    new VectorUpdate(
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

  /**
   * What a report has found, or not, is compared once: a review of nothing need not do it again.
   */
  @Test
  void whereTheReportHasFoundNothingTheLogNeedNotBeCompared() throws Exception {
    for (int i = 0; i < 6; i++) {
      kb.append(i < 3 ? "a" : "b", "note that is like no other, number " + i);
    }
    Pipeline pipeline = DaemonFixture.pipeline(settings, model, PairReading.NONE);
    SealedReports sealed = new SealedReports(new ReportSeal(folder.resolve("cache")));
    CompleteRun run = new CompleteRun(pipeline, sealed);
    assertFalse(run.hasFoundNone(kb.kb(), "relations", (_, _) -> false), "there is no report");
    run.run(kb.kb(), (cursor, now) -> false);
    Reviews reviews = new Reviews(settings, model.ids());
    for (Review.Kind kind : List.of(Review.Kind.DRIFT, Review.Kind.STALE)) {
      Reviews.Wanted wanted = new Reviews.Wanted(kind, Optional.empty());
      Optional<Review> nothing =
          reviews.ofNothing(
              kb.kb(),
              wanted,
              DataLog.read(kb.log()),
              AT,
              (section, sort) -> run.hasFoundNone(kb.kb(), section, sort));
      Review compared =
          reviews.run(
              KbIdentity.of(kb.kb()),
              wanted,
              reviews.subject(kb.kb()),
              Optional.empty(),
              JudgeProgress.SILENT,
              AT,
              () -> false,
              false);
      assertEquals(List.of(), compared.items(), kind + " was to find nothing");
      assertEquals(compared, nothing.orElseThrow());
    }
    assertFalse(run.hasFoundNone(kb.kb(), "relations", (_, _) -> true), "it has relations");
    kb.append("a", "written since");
    assertFalse(
        run.hasFoundNone(kb.kb(), "relations", (_, _) -> false), "the report is of another log");
  }

  /** Of a review nothing may be left out that the comparison would tell. */
  @Test
  void aReviewTellsOverlapsOrPairsThatAreADayApart() throws Exception {
    kb.append("a", "one note");
    kb.append("b", "another note");
    for (String second :
        List.of("2026-03-02T10:00", "2026-03-01T10:01", "2026-03-03", "2026-03-02")) {
      JsonNode pair =
          new ObjectMapper()
              .readTree(
                  """
                  {"id": "rel-1a9c57f14b", "a": {"topic": "a", "written": "2026-03-01T10:00"},
                   "b": {"topic": "b", "written": "%s"}}\
                  """
                      .formatted(second));
      boolean apart = second.contains("-02T") || second.endsWith("-03");
      assertEquals(!apart, isOfNothing(Review.Kind.STALE, Optional.of("a"), pair));
      assertEquals(!apart, isOfNothing(Review.Kind.STALE, Optional.empty(), pair));
      assertTrue(isOfNothing(Review.Kind.STALE, Optional.of("b"), pair), "it is about a");
      assertFalse(isOfNothing(Review.Kind.DRIFT, Optional.empty(), pair), "it overlaps");
    }
  }

  /** Where the section that a review asks for has one finding, about topic a. */
  private boolean isOfNothing(Review.Kind kind, Optional<String> topic, JsonNode json)
      throws InterruptedException {
    return new Reviews(settings, model.ids())
        .ofNothing(
            kb.kb(),
            new Reviews.Wanted(kind, topic),
            DataLog.read(kb.log()),
            AT,
            (section, sort) -> !sort.test(finding(section, "a"), json))
        .isPresent();
  }

  private static ReportedFinding finding(String section, String topic) {
    return new ReportedFinding(
        section,
        "id",
        "kind",
        OptionalInt.empty(),
        0,
        "",
        Set.of(topic),
        List.of(),
        Optional.empty());
  }
}
