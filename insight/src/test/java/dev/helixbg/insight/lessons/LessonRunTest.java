package dev.helixbg.insight.lessons;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.findings.Corpus;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.Judgements.Lesson;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionAnswerer;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.StoreFixture;
import dev.helixbg.insight.log.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Tests which questions about lessons are asked, and which lessons are listed. */
class LessonRunTest extends StoreFixture {
  private static final String REPEAT = "A step may run twice, so make the second run harmless";
  private static final String CLOCK = "A clock may be wrong, so never order things by it";
  private static final Duration LONG = Duration.ofDays(1);

  private final List<Entry> log = new ArrayList<>();
  private final Map<String, String> written = new HashMap<>();
  private int asked;
  private List<String> orders = List.of("same", "same");

  /** Adds an entry and the lesson that the model writes for it. */
  private void entry(String topic, String body, String lesson) {
    Entry entry = Entry.of(100L * log.size(), topic, body, 0);
    log.add(entry);
    written.put(entry.text().content(), lesson);
  }

  private List<NamedEntry> entries() {
    return NamedEntry.all(log, one -> Sha256.of(List.of(one.embeddedText())).substring(0, 32));
  }

  private Answer answer(Question question) {
    asked++;
    return switch (question) {
      case Question.LessonOf(_, String content) ->
          new Answer(written.get(content), 1, "", 0, false);
      case Question.CompareLessons(String a, String b) ->
          a.substring(0, 10).equals(b.substring(0, 10))
              ? new Answer("same", 0.8, "different", 0.2, 0, orders)
              : new Answer("different", 0.9, "same", 0.1, 0, List.of("different", "different"));
      default -> throw new AssertionError(question);
    };
  }

  /** Returns vectors that are near to each other if the sentences begin alike. */
  private static List<float[]> vectors(List<String> texts) {
    return texts.stream()
        .map(
            text -> {
              Random begun = new Random(text.substring(0, 20).hashCode());
              float[] centre = Corpus.unit(begun, new float[16], 1);
              return Corpus.unit(new Random(text.hashCode()), centre, 0.3);
            })
        .toList();
  }

  private record Run(List<Lesson> lessons, Map<QuestionKind, Integer> left) {}

  private Run run(Duration time) throws InterruptedException {
    asked = 0;
    try (QuestionSession asking =
        asking((questions, stopped) -> questions.stream().map(this::answer).toList(), time)) {
      LessonRun run = new LessonRun(asking, entries(), LessonRunTest::vectors);
      List<Lesson> lessons = run.ask();
      return new Run(lessons, run.left());
    }
  }

  private void twoLessons() {
    entry("queue", "Jobs run twice.", REPEAT + ".");
    entry("mail", "The mail was sent again.", REPEAT + " by a key.");
    entry("mail", "A plain fact.", "-");
    entry("billing", "The card was charged again.", REPEAT + " for money, too.");
    entry("sync", "Tablets were wrong by years.", CLOCK + ".");
    entry("sync", "The cursor is a number.", CLOCK + " or by a date.");
    entry("auth", "Codes come late.", CLOCK + " alone.");
  }

  @Test
  void lessonsOfMostTopicsComeFirst() throws Exception {
    twoLessons();
    List<Lesson> lessons = run(LONG).lessons();
    assertEquals(2, lessons.size());
    assertEquals(
        List.of("queue:0", "mail:0", "billing:0"),
        lessons.getFirst().entries().stream().map(NamedEntry::name).toList());
    assertEquals(3, lessons.getFirst().topics());
    assertEquals(2, lessons.getLast().topics());
    assertTrue(lessons.getFirst().text().startsWith(REPEAT));
    assertTrue(lessons.getFirst().sentences().contains(lessons.getFirst().text()));
    assertTrue(lessons.getFirst().id().matches("lesson-[0-9a-f]{10}"));
  }

  @Test
  void whatIsRememberedIsNotAskedAgain() throws Exception {
    twoLessons();
    List<Lesson> first = run(LONG).lessons();
    assertTrue(asked > 0);
    assertEquals(first, run(LONG).lessons());
    assertEquals(0, asked);
    entry("ops", "Another plain fact.", "-");
    assertEquals(first, run(LONG).lessons());
    assertEquals(1, asked, "the new entry alone");
  }

  @Test
  void whatTheTimeDoesNotAllowIsLeft() throws Exception {
    twoLessons();
    Run none = run(Duration.ZERO);
    assertEquals(List.of(), none.lessons());
    assertEquals(Map.of(QuestionKind.LESSON, log.size()), none.left());
    assertEquals(Map.of(), run(LONG).left());
  }

  @Test
  void anInterruptedRunEnds() {
    twoLessons();
    cancelled = true;
    assertThrows(InterruptedException.class, () -> run(LONG));
  }

  @Test
  void bothOrdersHaveToAgree() throws Exception {
    twoLessons();
    orders = List.of("same", "different");
    assertEquals(List.of(), run(LONG).lessons());
  }

  /** Copies of an entry count as one entry that teaches the lesson. */
  @Test
  void copiesCountOnce() throws Exception {
    entry("queue", "Jobs run twice.", REPEAT + ".");
    entry("mail", "Jobs run twice.", REPEAT + ".");
    entry("billing", "The card was charged again.", REPEAT + " for money, too.");
    assertEquals(List.of(), run(LONG).lessons());
  }

  @Test
  void oneSentenceForAllOfThemIsALesson() throws Exception {
    for (String topic : List.of("queue", "mail", "billing")) {
      entry(topic, "It happened in " + topic + ".", REPEAT + ".");
    }
    assertEquals(1, run(LONG).lessons().size());
    assertEquals(3, asked, "nobody compares a sentence with itself");
  }

  /** The act for a lesson stores an entry that links to all entries that teach the lesson. */
  @Test
  void whatAnEntryGathersIsNamedNoMore() throws Exception {
    twoLessons();
    entry(
        "lessons",
        "All of them at once.\n[links: queue:0 mail:0 billing:0]",
        REPEAT + " everywhere.");
    List<Lesson> lessons = run(LONG).lessons();
    assertEquals(1, lessons.size());
    assertTrue(lessons.getFirst().text().startsWith(CLOCK));
  }

  @Test
  void aModelThatIsCancelledWhileItAnswersLeavesNothingBehind() {
    twoLessons();
    QuestionAnswerer stopping =
        (questions, stopped) -> {
          throw new CancellationException();
        };
    try (QuestionSession asking = asking(stopping, LONG)) {
      LessonRun run = new LessonRun(asking, entries(), LessonRunTest::vectors);
      assertThrows(InterruptedException.class, run::ask);
    }
    assertEquals(0, TestDatabase.rows(database, "answer"));
  }
}
