package dev.helixbg.insight.review;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.InMemory;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reviews of a report on vectors that the test chooses. */
class ReviewTest {
  private static final InsightSettings SETTINGS = new InsightSettings(0.6, 0.92, 0.75, 0.15, 20);
  private static final int DAY = 24 * 60;
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");
  private static final String MODEL = "model";
  private static final String SHA = "ab".repeat(32);

  @TempDir(factory = InMemory.class)
  Path folder;

  private Database database;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Double> angles = new ArrayList<>();
  private final List<Question> asked = new ArrayList<>();

  @BeforeEach
  void open() {
    database = TestDatabase.in(folder, AnswerStore.TABLE);
  }

  @AfterEach
  void close() {
    database.close();
  }

  /** An entry at an angle, in degrees: the cosine of the difference is the similarity. */
  private void add(String topic, String text, int minutes, double degrees) {
    entries.add(new Entry(8 + entries.size(), topic, text, minutes, EntryText.parse(text)));
    angles.add(degrees);
  }

  private PresentEntries present() {
    int count = entries.size();
    LogAccount account = new LogAccount(0, SHA, count, 0, count, List.of());
    return new PresentEntries(new LogReading(List.copyOf(entries), account), MODEL);
  }

  private List<String> keys() {
    return present().all().stream().map(NamedEntry::key).toList();
  }

  private Findings findings() {
    float[] values = new float[2 * angles.size()];
    for (int i = 0; i < angles.size(); i++) {
      values[2 * i] = (float) Math.cos(Math.toRadians(angles.get(i)));
      values[2 * i + 1] = (float) Math.sin(Math.toRadians(angles.get(i)));
    }
    Vectors vectors = new Vectors(angles.size(), 2, values);
    return Analysis.run(present().all(), vectors, PassageVectors.NONE, SETTINGS, 1);
  }

  /** As the vectors alone have it. */
  private ReviewSubject kb() {
    return subject(findings(), Judgements.NONE, false);
  }

  /** As a judge has it that says the same of all pairs. */
  private ReviewSubject kb(Verdict verdict, boolean contradicts) {
    Findings findings = findings();
    return subject(findings, judged(findings, verdict, contradicts), false);
  }

  private static Judgements judged(Findings findings, Verdict verdict, boolean contradicts) {
    Map<String, PairVerdict> verdicts = new HashMap<>();
    for (Finding.Relation pair : findings.relations()) {
      verdicts.put(pair.id(), new PairVerdict(verdict, 0.9, 0, 0, 0, contradicts, false));
    }
    Map<String, Verdict> overlaps = new HashMap<>();
    findings.topicOverlaps().forEach(overlap -> overlaps.put(overlap.id(), verdict));
    return new Judgements(
        Optional.of("parrot"),
        Map.of(),
        verdicts,
        overlaps,
        Map.of(),
        List.of(),
        Map.of(),
        0,
        Optional.of(new JudgeTrust(60, 55, Map.of(), 0.9, Optional.empty())));
  }

  private ReviewSubject subject(Findings findings, Judgements judgements, boolean guesses) {
    PresentEntries present = present();
    Report report =
        new Report(findings, present.log(), new Report.Run("1", MODEL), judgements, List.of());
    Map<Integer, ReportedFinding> all = new TreeMap<>();
    JsonReport.eachFinding(report, (place, finding, json) -> all.put(place, finding));
    return new ReviewSubject(
        present, List.copyOf(all.values()), SETTINGS, judgements.model(), guesses);
  }

  /** The findings of an earlier report, seen against the log of now. */
  private ReviewSubject now(ReviewSubject earlier) {
    return new ReviewSubject(present(), earlier.findings(), SETTINGS, earlier.model(), false);
  }

  private Optional<QuestionSession> asking(QuestionAnswerer oracle, BooleanSupplier cancelled) {
    return Optional.of(
        new QuestionSession(
            new AnswerStore(database),
            "parrot",
            () -> oracle,
            Duration.ofDays(1),
            () -> 0,
            JudgeProgress.SILENT,
            cancelled));
  }

  private List<Answer> parrot(List<? extends Question> questions, BooleanSupplier cancelled) {
    asked.addAll(questions);
    return questions.stream().map(one -> new Answer("All about it.", 1, "", 0, false)).toList();
  }

  private static Review session(Optional<Review> last, ReviewSubject kb) throws Exception {
    return SessionReview.of(kb, last, AT, Optional.empty());
  }

  private static List<String> said(Review review) {
    return review.items().stream()
        .map(i -> i.a().name() + " " + i.relation() + " " + i.b().name())
        .toList();
  }

  @Test
  void aSessionTellsTheNewEntriesAndTheirRelations() throws Exception {
    add("a", "one", 0, 0);
    add("b", "two", 0, 90);
    Review first = session(Optional.empty(), kb());
    add("a", "again", 0, 1); // repeats a:0
    add("b", "near", 0, 30); // connects to a:0
    add("c", "far", 0, 200);
    Review next = session(Optional.of(first), kb());
    assertTrue(next.summary().startsWith("3 new entries in a (1), b (1), c (1)."), next.summary());
    assertTrue(next.summary().contains(" 1 time a new entry repeats another."), next.summary());
    assertTrue(
        next.summary().contains(" 2 times a new entry connects to another."), next.summary());
    assertTrue(next.summary().endsWith(Review.NOT_JUDGED), next.summary());
    assertEquals(Optional.empty(), next.judge());
    assertEquals(SHA, next.logSha256());
    assertEquals(AT, next.at());
    assertEquals(
        Set.of("a:1 repeats a:0", "b:1 connects to a:1", "b:1 connects to a:0"),
        Set.copyOf(said(next)));
    assertEquals(0, SessionReview.fresh(keys(), Optional.of(next)).size());
    Review nothing = session(Optional.of(next), kb());
    assertEquals("Nothing new was written.", nothing.summary());
    assertEquals(List.of(), nothing.items());
  }

  @Test
  void aSessionSaysWhatTheReportsJudgeSays() throws Exception {
    add("a", "one", 0, 0);
    Review first = session(Optional.empty(), kb());
    add("a", "again", 0, 1);
    for (Verdict verdict : Verdict.values()) {
      Review review = session(Optional.of(first), kb(verdict, false));
      List<String> expected =
          switch (verdict) {
            case SAME -> List.of("a:1 repeats a:0");
            case OVERTAKEN -> List.of("a:1 overtakes a:0");
            case RELATED -> List.of("a:1 is close to a:0");
            case DIFFERENT -> List.of();
          };
      assertEquals(expected, said(review));
      assertEquals(Optional.of("parrot"), review.judge());
      assertFalse(review.summary().contains(Review.NOT_JUDGED), review.summary());
    }
    Review contradicted = session(Optional.of(first), kb(Verdict.OVERTAKEN, true));
    assertEquals(List.of("a:1 contradicts a:0"), said(contradicted));
    assertEquals("overtaken", contradicted.items().getFirst().verdict());
  }

  @Test
  void aSessionNamesEachNewCopyOfAText() throws Exception {
    add("a", "the same words", 0, 0);
    Review first = session(Optional.empty(), kb());
    add("a", "the same words", 0, 0);
    add("a", "the same words", 0, 0);
    Review next = session(Optional.of(first), kb());
    assertEquals(List.of("a:1 repeats a:0", "a:2 repeats a:0"), said(next));
    assertEquals(1, new HashSet<>(next.items().stream().map(Review.Item::id).toList()).size());
    assertTrue(next.items().getFirst().id().startsWith("copies-"));
  }

  @Test
  void aRepetitionIsNewAndDeletionsDoNotMakeOldEntriesNew() throws Exception {
    add("a", "one", 0, 0);
    add("a", "two", 0, 90);
    add("a", "three", 0, 180);
    Review first = session(Optional.empty(), kb());
    List<String> later = new ArrayList<>(keys());
    later.remove(2);
    assertEquals(List.of(), SessionReview.fresh(later, Optional.of(first)));
    later.add(keys().get(0));
    assertEquals(List.of(2), SessionReview.fresh(later, Optional.of(first)));
  }

  /** Without a session before, only the last entries are new: a long log is no session. */
  @Test
  void theFirstSessionIsOfTheLastEntries() throws Exception {
    for (int i = 0; i < 120; i++) {
      add("t" + i, "entry " + i, 0, 3 * i);
    }
    assertEquals(50, SessionReview.fresh(keys(), Optional.empty()).size());
    Review review = session(Optional.empty(), kb(Verdict.RELATED, false));
    assertTrue(review.summary().startsWith("50 new entries in t100 (1), "), review.summary());
    assertTrue(review.summary().contains(" and 30 more topics."), review.summary());
    assertTrue(review.items().size() <= 20, review.items().size() + " items");
  }

  @Test
  void aSessionAsksTheModelForOneSentenceAtMost() throws Exception {
    for (int i = 0; i < 40; i++) {
      add("t", "entry " + i + " " + "word ".repeat(100), 0, i);
    }
    ReviewSubject kb = kb(Verdict.RELATED, false);
    Optional<QuestionSession> model = asking(this::parrot, () -> false);
    Review review = SessionReview.of(kb, Optional.empty(), AT, model);
    assertTrue(review.summary().endsWith(" All about it."), review.summary());
    assertEquals(1, asked.size());
    SessionReview.of(kb, Optional.empty(), AT, asking(this::parrot, () -> false));
    assertEquals(1, asked.size(), "the answer is remembered");
    SessionReview.of(kb, Optional.of(review), AT, asking(this::parrot, () -> false));
    assertEquals(1, asked.size(), "nothing new is asked about");
  }

  @Test
  void anInterruptedSessionIsNone() throws Exception {
    add("a", "one", 0, 0);
    assertThrows(
        InterruptedException.class,
        () -> SessionReview.of(kb(), Optional.empty(), AT, asking(this::parrot, () -> true)));
  }

  /** As the report says it. */
  @Test
  void aReviewOfAJudgeThatGuessesSaysSo() throws Exception {
    add("a", "The limit is 5 MB.", 10 * DAY, 0);
    add("a", "The limit is 8 MB since May.", 40 * DAY, 10);
    add("b", "Limits are those of May.", 41 * DAY, 12);
    Findings findings = findings();
    Judgements judged = judged(findings, Verdict.OVERTAKEN, false);
    ReviewSubject guessed = subject(findings, judged, true);
    Review review = session(Optional.empty(), guessed);
    assertTrue(review.summary().endsWith(JudgeTrust.GUESSING), review.summary());
    assertFalse(review.items().isEmpty());
    Review trusted = session(Optional.empty(), subject(findings, judged, false));
    assertFalse(trusted.summary().contains(JudgeTrust.GUESSING));
  }

  @Test
  void aReviewIsWithoutTheItemsThatWereSettled() throws Exception {
    add("a", "The limit is 5 MB.", 10 * DAY, 0);
    add("a", "The limit is 8 MB since May.", 40 * DAY, 10);
    Review review = session(Optional.empty(), kb(Verdict.OVERTAKEN, true));
    Review.Item item = review.items().getFirst();
    assertEquals(findings().relations().getFirst().id(), item.id());
    assertEquals("overtaken", item.verdict());
    assertEquals("The limit is 8 MB since May.", item.text());
    assertEquals(List.of(), review.without(item.id()::equals).items());
    assertEquals(List.of(item), review.without("rel-0"::equals).items());
  }

  /** The report is of an earlier log: names are those of now, and deleted entries are left out. */
  @Test
  void aReviewIsOfTheEntriesThatAreThereNow() throws Exception {
    add("a", "deleted later", 5 * DAY, 180);
    add("a", "old", 10 * DAY, 0);
    add("a", "new", 40 * DAY, 10);
    add("b", "newer", 41 * DAY, 11);
    ReviewSubject report = kb(Verdict.OVERTAKEN, false);
    assertEquals(6, session(Optional.empty(), report).items().size());
    entries.remove(0);
    entries.remove(1); // "new"
    assertEquals(List.of("b:0 overtakes a:0"), said(session(Optional.empty(), now(report))));
    entries.clear();
    assertEquals(List.of(), session(Optional.empty(), now(report)).items());
  }

  @Test
  void anEmptyKbHasNothingToReview() throws Exception {
    assertEquals(List.of(), session(Optional.empty(), kb()).items());
  }

  @Test
  void aReviewIsTheSameAfterItsJson() throws Exception {
    add("a", "one", 0, 0);
    add("a", "two", 0, 1);
    for (Review review :
        List.of(
            session(Optional.empty(), kb(Verdict.SAME, false)), session(Optional.empty(), kb()))) {
      Review read = Review.fromJson(review.toJson()).orElseThrow();
      assertEquals(review.toJson(), read.toJson());
      assertEquals(review.marks(), read.marks());
    }
  }
}
