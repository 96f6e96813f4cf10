package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Tests the order in which pairs are judged, the questions about a pair, and the verdicts that
 * follow from the answers.
 */
class VerdictRunTest extends StoreFixture {
  private static final Duration LONG = Duration.ofDays(1);
  private static final int BEFORE = 100;
  private static final int AFTER = 200;

  private final AtomicLong clock = new AtomicLong();
  private int offset = 8;

  private NamedEntry entry(String text, int minutes) {
    Entry entry = Entry.of(offset += 100, "topic", text, minutes);
    return new NamedEntry(entry, 0, "%032x".formatted(offset), false);
  }

  private static Finding.Relation relation(String id, NamedEntry a, NamedEntry b) {
    return NearestPair.of(id, a, b, 1, 0.6);
  }

  /** Returns a session in which each batch takes a second. */
  private QuestionSession askingFor(Duration time, QuestionAnswerer oracle) {
    JudgeProgress ticking = (_, _) -> (questions, _) -> clock.addAndGet(1_000_000_000L);
    return new QuestionSession(
        new AnswerStore(database), "model", () -> oracle, time, clock::get, ticking, () -> false);
  }

  private static Answer sure(String text, String other) {
    return new Answer(text, 0.9, other, 0.1, 0, List.of());
  }

  private static TruthfulOracle saying(Answer ofPairs, Answer ofOlderEntries) {
    return new TruthfulOracle(
        question -> question.job() == QuestionKind.PAIR ? ofPairs : ofOlderEntries);
  }

  /**
   * Returns the right answer. Pairs with an even number are <i>different</i>; the others are
   * <i>same</i>, and in every second of them, the older entry is <i>outdated</i>.
   */
  private static Answer truth(Question question) {
    return switch (question) {
      case Question.Compare pair ->
          number(pair.a()) % 2 == 0 ? sure("different", "related") : sure("same", "related");
      case Question.Overtaken pair ->
          number(pair.older()) % 4 == 1 ? sure("outdated", "valid") : sure("valid", "outdated");
      default -> throw new AssertionError(question);
    };
  }

  private static int number(String text) {
    return Integer.parseInt(text.substring(1));
  }

  private List<Finding.Relation> hundred() {
    List<Finding.Relation> pairs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      pairs.add(relation("rel-" + i, entry("a" + i, AFTER), entry("b" + i, BEFORE)));
    }
    return pairs;
  }

  /** Several runs with limited time judge all pairs in their order. */
  @Test
  void pairsAreJudgedInTheirOrderOverSeveralRuns() throws Exception {
    List<Finding.Relation> pairs = hundred();
    int before = 0;
    int runs = 0;
    int asked = 0;
    for (int left = 100; left > 0; runs++) {
      TruthfulOracle oracle = new TruthfulOracle(VerdictRunTest::truth);
      VerdictRun run = new VerdictRun(askingFor(Duration.ofSeconds(40), oracle), pairs);
      left = run.ask(Integer.MAX_VALUE);
      asked += oracle.asked.size();
      Map<String, PairVerdict> verdicts = run.verdicts();
      assertTrue(verdicts.size() > before, "every run gets on");
      before = verdicts.size();
      for (int i = 0; i < before; i++) {
        assertTrue(verdicts.containsKey("rel-" + i), "the best are judged: " + verdicts.keySet());
      }
    }
    assertEquals(100, before);
    assertTrue(runs >= 3 && runs <= 5, runs + " runs");
    assertEquals(150, asked, "each question once: 100 pairs, of which 50 have something in common");
    VerdictRun again = new VerdictRun(asking(unasked(), Duration.ZERO), pairs);
    assertEquals(0, again.ask(Integer.MAX_VALUE));
    for (int i = 0; i < 100; i++) {
      Verdict expected =
          i % 2 == 0 ? Verdict.DIFFERENT : i % 4 == 1 ? Verdict.OVERTAKEN : Verdict.SAME;
      assertEquals(expected, again.verdicts().get("rel-" + i).verdict());
    }
  }

  private static QuestionAnswerer unasked() {
    return (questions, cancelled) -> {
      throw new AssertionError(questions);
    };
  }

  private PairVerdict verdict(Finding.Relation pair, String said, String holds) throws Exception {
    String otherSaid = said.equals("same") ? "related" : "same";
    String otherHolds = holds.equals("valid") ? "outdated" : "valid";
    TruthfulOracle oracle =
        saying(
            new Answer(said, 0.8, otherSaid, 0.15, 0, List.of()),
            new Answer(holds, 0.7, otherHolds, 0.2, 0, List.of()));
    VerdictRun run = new VerdictRun(asking(oracle, LONG), List.of(pair));
    assertEquals(0, run.ask(1));
    return run.verdicts().get(pair.id());
  }

  @Test
  void anOlderEntryThatNoLongerHoldsIsOvertakenWhateverElseIsTrue() throws Exception {
    for (String said : List.of("same", "related")) {
      PairVerdict outdated =
          verdict(relation(said, entry("x" + said, 1), entry("y", 2)), said, "outdated");
      assertEquals(Verdict.OVERTAKEN, outdated.verdict());
      assertEquals(0.8, outdated.probability(), 1e-9);
      assertFalse(outdated.contradiction());
      PairVerdict contradicted =
          verdict(relation(said, entry("z" + said, 1), entry("y", 2)), said, "contradicted");
      assertTrue(contradicted.contradiction());
      PairVerdict valid =
          verdict(relation(said, entry("v" + said, 1), entry("y", 2)), said, "valid");
      assertEquals(said, valid.verdict().title());
      assertEquals(0.8, valid.probability());
      assertEquals(0.3, valid.overtaken(), 1e-9);
    }
  }

  @Test
  void theOlderOneIsTheOneWrittenBefore() throws Exception {
    for (int[] minutes : new int[][] {{AFTER, BEFORE}, {BEFORE, AFTER}, {5, 5}, {0, 7}}) {
      NamedEntry a = entry("a " + List.of(minutes[0], minutes[1]), minutes[0]);
      NamedEntry b = entry("b", minutes[1]);
      TruthfulOracle oracle = saying(sure("same", "related"), sure("valid", "outdated"));
      VerdictRun run = new VerdictRun(asking(oracle, LONG), List.of(relation("rel", a, b)));
      run.ask(1);
      Question.Overtaken asked = (Question.Overtaken) oracle.asked.getLast();
      boolean swapped = minutes[0] == AFTER; // otherwise, the order in the log decides
      assertEquals(swapped ? "b" : a.entry().body(), asked.older());
    }
  }

  /**
   * An entry that the model did not read to its end may say more than the other entry, so it is not
   * called superfluous.
   */
  @Test
  void onlyWhatWasReadToItsEndIsCalledSuperfluous() {
    Question.Compare both = new Question.Compare("short", "a longer text");
    for (int unread : new int[] {0, both.bit("a longer text"), both.bit("short"), Answer.ANY}) {
      boolean shortIsRead = unread == 0 || unread == both.bit("a longer text");
      Answer same = new Answer("same", 0.8, "related", 0.15, unread, List.of());
      PairVerdict said = PairVerdict.of(both, same, Optional.empty());
      assertEquals(shortIsRead ? Verdict.SAME : Verdict.RELATED, said.verdict(), "" + unread);
      assertEquals(unread != 0, said.cut());
    }
    Question.Overtaken holds = new Question.Overtaken("a longer text", "short");
    for (int unread : new int[] {0, 1, 2, 3, Answer.ANY}) {
      Answer outdated = new Answer("outdated", 0.8, "valid", 0.15, unread, List.of());
      PairVerdict said = PairVerdict.of(both, sure("related", "same"), Optional.of(outdated));
      boolean olderIsRead = unread == 0 || unread == holds.bit("short");
      assertEquals(olderIsRead ? Verdict.OVERTAKEN : Verdict.RELATED, said.verdict(), "" + unread);
    }
    assertEquals(1, holds.bit("a longer text"));
  }

  private static Finding.Relation matching(Finding.Relation of, int a, int b) {
    return NearestPair.matching(
        of, new Finding.Matching(new Passage(a, a + 1), new Passage(b, b + 1), 0.9, a, b));
  }

  /** The position where the model begins to read does not make a question a different question. */
  @Test
  void aPairIsAskedOnceWhereverItsMatchBegins() throws Exception {
    Finding.Relation plain = relation("rel", entry("one", 2), entry("two", 1));
    Answer different = new Answer("different", 0.9, "same", 0.05, 1, List.of());
    TruthfulOracle oracle = new TruthfulOracle(q -> different);
    for (int[] place : new int[][] {{0, 0}, {1, 0}, {0, 2}}) {
      Finding.Relation pair = matching(plain, place[0], place[1]);
      assertEquals(0, new VerdictRun(asking(oracle, LONG), List.of(pair)).ask(1));
    }
    assertEquals(1, oracle.asked.size());
  }

  @Test
  void bothQuestionsAreReadFromWhatMatches() throws Exception {
    Finding.Relation pair =
        matching(relation("rel", entry("newer text", 2), entry("older text", 1)), 6, 0);
    TruthfulOracle oracle = saying(sure("same", "related"), sure("valid", "outdated"));
    Finding.Relation again = relation("again", pair.a(), pair.b());
    VerdictRun run = new VerdictRun(asking(oracle, LONG), List.of(pair, again));
    assertEquals(0, run.ask(2));
    assertEquals(
        List.of(
            new Question.Compare("newer text", "older text", new Question.Match(6, 0)),
            new Question.Overtaken("older text", "newer text", new Question.Match(0, 6))),
        oracle.asked);
    assertEquals(run.verdicts().get("rel"), run.verdicts().get("again"), "one pair, one answer");
  }

  /**
   * If a run ends between the first and the second question about a pair, the next run asks the
   * second question.
   */
  @Test
  void aVerdictThatIsNotCompleteIsShownAndAskedOn() throws Exception {
    Finding.Relation pair = relation("rel", entry("one", 1), entry("two", 2));
    TruthfulOracle first = new TruthfulOracle(q -> sure("same", "related"));
    VerdictRun run = new VerdictRun(askingFor(Duration.ofMillis(500), first), List.of(pair));
    assertEquals(1, run.ask(1), "incomplete");
    assertEquals(Verdict.SAME, run.verdicts().get("rel").verdict());
    TruthfulOracle second = new TruthfulOracle(q -> sure("contradicted", "valid"));
    VerdictRun next = new VerdictRun(asking(second, LONG), List.of(pair));
    assertEquals(0, next.ask(1));
    assertEquals(1, second.asked.size());
    assertEquals(Verdict.OVERTAKEN, next.verdicts().get("rel").verdict());
  }
}
