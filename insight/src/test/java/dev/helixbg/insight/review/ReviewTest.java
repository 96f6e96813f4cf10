package dev.helixbg.insight.review;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.VerdictRun;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews on vectors chosen by the test, with and without somebody to ask. */
class ReviewTest {
  private static final InsightSettings SETTINGS =
      new InsightSettings(0.6, 0.92, 20, 0.75, 50, 0.15, 20, false);
  private static final int DAY = 24 * 60;
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path insights;

  private final List<Entry> entries = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final List<Float> values = new ArrayList<>();
  private final List<Question> asked = new ArrayList<>();

  /** An entry at an angle, in degrees: the cosine of the difference is the similarity. */
  private void add(String topic, String text, int minutes, double degrees) {
    entries.add(new Entry(8 + entries.size(), topic, text, minutes, EntryText.parse(text)));
    keys.add(UUID.nameUUIDFromBytes((topic + text).getBytes()).toString().replace("-", ""));
    values.add((float) Math.cos(Math.toRadians(degrees)));
    values.add((float) Math.sin(Math.toRadians(degrees)));
  }

  private ReviewSubject kb() {
    float[] all = new float[values.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = values.get(i);
    }
    Vectors vectors = new Vectors(entries.size(), 2, all);
    Iterator<String> next = keys.iterator();
    List<NamedEntry> named = NamedEntry.all(entries, entry -> next.next());
    Findings findings = Analysis.run(named, vectors, PassageVectors.NONE, SETTINGS, 1);
    return new ReviewSubject(
        ReviewSubject.Found.of(findings), vectors::row, "ab".repeat(32), Optional.empty());
  }

  /** The same before a judge that says the same of all pairs, whoever asked it before. */
  private ReviewSubject kb(String pair, String holds) {
    return kb(parrot(pair, holds), () -> false);
  }

  private ReviewSubject kb(QuestionAnswerer oracle, BooleanSupplier cancelled) {
    return kb().before(new ReviewSubject.Judge("parrot", asking(oracle, cancelled), false));
  }

  private QuestionSession asking(QuestionAnswerer oracle, BooleanSupplier cancelled) {
    return new QuestionSession(
        new AnswerFile(insights.resolve("answers.jsonl"), true),
        "model",
        384,
        () -> oracle,
        Duration.ofDays(1),
        () -> 0,
        JudgeProgress.SILENT,
        cancelled);
  }

  private QuestionAnswerer parrot(String pair, String holds) {
    return (questions, cancelled) -> {
      asked.add(questions.getFirst());
      return List.of(
          switch (questions.getFirst().job()) {
            case PAIR, TOPICS -> sure(pair, pair.equals("same") ? "related" : "same");
            case OVERTAKEN -> sure(holds, holds.equals("valid") ? "outdated" : "valid");
            default -> sure("All about it.", "");
          });
    };
  }

  private static Answer sure(String text, String other) {
    return new Answer(text, 0.9, other, 0.1, false);
  }

  private Review session(Optional<Review> last, ReviewSubject kb) throws Exception {
    return SessionReview.of(kb, last, AT);
  }

  @Test
  void aSessionTellsWhatIsNewRepeatedConnectedAndContradicted() throws Exception {
    add("a", "one", 0, 0);
    add("b", "two", 0, 90);
    Review first = session(Optional.empty(), kb());
    add("a", "again", 0, 1); // repeats a:0
    add("b", "near", 0, 30); // connects to a:0
    add("c", "far", 0, 200);
    Review next = session(Optional.of(first), kb());
    assertTrue(next.summary().startsWith("3 new entries in a (1), b (1), c (1)."), next.summary());
    assertTrue(next.summary().endsWith(Review.NOT_JUDGED), next.summary());
    assertEquals(Optional.empty(), next.judge());
    assertEquals("a:1 repeats a:0", said(next, 0));
    assertEquals("b:1 connects to a:1", said(next, 1));
    assertEquals("b:1 connects to a:0", said(next, 2));
    Review judged = session(Optional.of(first), kb("related", "contradicted"));
    assertEquals("a:1 contradicts a:0", said(judged, 0));
    assertTrue(judged.summary().endsWith(" All about it."), judged.summary());
    assertEquals(Optional.of("parrot"), judged.judge());
    assertEquals(0, SessionReview.fresh(keys, Optional.of(next)).size());
  }

  private static String said(Review review, int item) {
    Review.Item i = review.items().get(item);
    return i.a() + " " + i.relation() + " " + i.b();
  }

  @Test
  void aRepetitionIsNewAndDeletionsDoNotMakeOldEntriesNew() throws Exception {
    add("a", "one", 0, 0);
    add("a", "two", 0, 90);
    add("a", "three", 0, 180);
    Review first = session(Optional.empty(), kb());
    List<String> later = new ArrayList<>(keys);
    later.remove(2);
    assertEquals(List.of(), SessionReview.fresh(later, Optional.of(first)));
    later.add(keys.get(0));
    assertEquals(List.of(2), SessionReview.fresh(later, Optional.of(first)));
  }

  @Test
  void driftNamesTopicsThatOverlapAndWhichAreNew() throws Exception {
    add("auth", "login", 0, 0);
    add("login", "auth", 0, 20);
    add("ops", "disk", 0, 120);
    Review first = DriftReview.of(kb(), Optional.empty(), AT);
    assertEquals("auth now overlaps login", said(first, 0));
    assertEquals(1, first.items().size());
    assertEquals("closest: auth:0 and login:0", first.items().getFirst().text());
    Review second = DriftReview.of(kb("same", "valid"), Optional.of(first), AT);
    assertEquals("auth overlaps login", said(second, 0));
    assertEquals("same", second.items().getFirst().verdict());
    assertEquals(kb().found().topicOverlaps().getFirst().id(), second.items().getFirst().id());
  }

  /** As many as the report has, though the judge is asked about the closest only. */
  @Test
  void driftCountsAllTopicsThatOverlap() throws Exception {
    for (int topic = 0; topic < 7; topic++) {
      add("t" + topic, "one", 0, topic);
    }
    ReviewSubject kb = kb("same", "valid");
    assertEquals(21, kb.found().topicOverlaps().size());
    Review review = DriftReview.of(kb, Optional.empty(), AT);
    assertTrue(review.summary().startsWith("21 pairs of topics overlap"), review.summary());
    assertEquals(21, review.items().size());
    assertEquals(20, review.items().stream().filter(item -> !item.verdict().isEmpty()).count());
  }

  @Test
  void staleAreOlderEntriesOfClosePairsUnlessTheModelSaysTheyHold() throws Exception {
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 10);
    add("b", "same day", 40 * DAY + 60, 12);
    add("b", "undated", 0, 11);
    Review review = StaleReview.of(kb(), Optional.empty(), AT);
    assertEquals(2, review.items().size(), review.toString());
    List<String> both = List.of(said(review, 0), said(review, 1));
    assertTrue(both.contains("a:0 may be overtaken by a:1"), both::toString);
    assertTrue(both.contains("a:0 may be overtaken by b:0"), both::toString);
    assertTrue(review.summary().endsWith(Review.NOT_JUDGED));
    Review only = StaleReview.of(kb(), Optional.of("b"), AT);
    assertEquals("a:0 may be overtaken by b:0", said(only, 0));
    assertEquals(1, only.items().size());
    assertEquals(List.of(), StaleReview.of(kb("related", "valid"), Optional.empty(), AT).items());
  }

  /** In a small KB each entry is near to none, but nearest to something. */
  @Test
  void whatIsFarIsNotCalledStale() throws Exception {
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 70);
    assertEquals(1, kb().found().relations().size());
    assertEquals(List.of(), StaleReview.of(kb(), Optional.empty(), AT).items());
  }

  /** What the report calls overtaken is stale, under the same id and with the same edit. */
  @Test
  void staleIsWhatTheJudgeOfTheReportCallsOvertaken() throws Exception {
    add("a", "The limit is 5 MB.", 10 * DAY, 0);
    add("a", "The limit is 8 MB since May.", 40 * DAY, 10);
    List<Finding.Relation> relations = kb().found().relations();
    VerdictRun report =
        new VerdictRun(asking(parrot("related", "contradicted"), () -> false), relations);
    report.ask(Integer.MAX_VALUE);
    asked.clear();
    Review review = StaleReview.of(kb("different", "valid"), Optional.empty(), AT);
    assertEquals(List.of(), asked, "both questions were answered for the report");
    Review.Item item = review.items().getFirst();
    assertEquals("a:0 is contradicted by a:1", said(review, 0));
    assertEquals(relations.getFirst().id(), item.id());
    assertEquals(
        List.of(), review.without(item.id()::equals).items(), "it was dismissed since then");
    assertEquals(List.of(item), review.without("rel-0"::equals).items());
  }

  /** As the report says it; and nobody is handed an edit by a coin. */
  @Test
  void verdictsOfAJudgeThatGuessesAreSaidToBeGuessesAndHaveNoEdits() throws Exception {
    add("a", "The limit is 5 MB.", 10 * DAY, 0);
    add("a", "The limit is 8 MB since May.", 40 * DAY, 10);
    add("b", "Limits are those of May.", 41 * DAY, 12);
    QuestionSession asking = asking(parrot("same", "contradicted"), () -> false);
    ReviewSubject guessed = kb().before(new ReviewSubject.Judge("coin", asking, true));
    for (Review review :
        List.of(
            StaleReview.of(guessed, Optional.empty(), AT),
            DriftReview.of(guessed, Optional.empty(), AT))) {
      assertTrue(review.summary().endsWith(JudgeTrust.GUESSING), review.summary());
      assertFalse(review.items().isEmpty());
    }
    Review trusted = StaleReview.of(kb("same", "contradicted"), Optional.empty(), AT);
    assertFalse(trusted.summary().contains(JudgeTrust.GUESSING));
  }

  @Test
  void whatWasInterruptedGoesOnAfterARestartWithTheAnswersItHas() throws Exception {
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 1);
    add("a", "newer", 80 * DAY, 2);
    QuestionAnswerer parrot = parrot("related", "outdated");
    assertThrows(
        InterruptedException.class,
        () -> StaleReview.of(kb(parrot, () -> asked.size() == 4), Optional.empty(), AT));
    assertEquals(4, asked.size());
    Review review = StaleReview.of(kb("related", "outdated"), Optional.empty(), AT);
    assertEquals(6, Set.copyOf(asked).size(), "two questions about each of three pairs");
    assertEquals(6, asked.size(), "only what was not answered is asked");
    assertEquals(3, review.items().size());
  }

  @Test
  void historyKeepsReviewsAndPassesOverDamage() throws Exception {
    add("a", "one", 0, 0);
    ReviewHistory history = new ReviewHistory(insights);
    assertEquals(List.of(), HistoryLines.of(insights));
    add("a", "two", 0, 1);
    Review shown = session(Optional.empty(), kb("same", "valid"));
    history.append(shown);
    Review review = HistoryLines.of(insights).getFirst();
    assertEquals(shown.items().getFirst().id(), review.items().getFirst().id());
    Files.writeString(
        insights.resolve(ReviewHistory.NAME), "{\"kind\":\"dri", StandardOpenOption.APPEND);
    history.append(session(Optional.of(review), kb()));
    assertEquals(2, HistoryLines.of(insights).size());
    assertEquals("Nothing new was written.", history.latest().get(Review.Kind.SESSION).summary());
    assertEquals(null, history.latest().get(Review.Kind.STALE));
  }

  @Test
  void anEmptyKbHasNothingToReview() throws Exception {
    assertEquals(List.of(), session(Optional.empty(), kb()).items());
    assertEquals(List.of(), DriftReview.of(kb(), Optional.empty(), AT).items());
    assertEquals(List.of(), StaleReview.of(kb(), Optional.empty(), AT).items());
  }
}
