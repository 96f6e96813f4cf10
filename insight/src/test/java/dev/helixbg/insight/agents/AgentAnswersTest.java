package dev.helixbg.insight.agents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.AgentSayings.Said;
import dev.helixbg.insight.judge.AgentSayings.Trust;
import dev.helixbg.insight.judge.JudgeTrial.Truth;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AgentAnswersTest {
  private static final AgentClient ONE = new AgentClient("one", "1");
  private static final AgentClient TWO = new AgentClient("two", "2");
  private static final String PAIR = AgentQuestion.ofPair("older", "newer");

  private static AgentAnswer answer(AgentClient client, String id, Verdict verdict) {
    return new AgentAnswer(client, id, QuestionKind.PAIR, verdict.title(), false, Instant.EPOCH);
  }

  private static Verdict right(KnownPairs.Known known) {
    return switch (known.truth()) {
      case SAME -> Verdict.SAME;
      case OVERTAKEN -> Verdict.OVERTAKEN;
      case NEITHER -> Verdict.RELATED;
    };
  }

  /** Returns a client's answers to {@code pairs} known pairs. */
  private static List<AgentAnswer> known(
      AgentClient client, int pairs, Function<KnownPairs.Known, Verdict> says) {
    List<AgentAnswer> answers = new ArrayList<>();
    Set<String> answered = new HashSet<>();
    while (answers.size() < pairs) {
      KnownPairs.Known next = KnownPairs.next(10, answered).getFirst();
      answered.add(next.id());
      answers.add(answer(client, next.id(), says.apply(next)));
    }
    return answers;
  }

  @SafeVarargs
  private static AgentAnswers of(List<AgentAnswer>... answers) {
    return new AgentAnswers(Stream.of(answers).flatMap(List::stream).toList(), Optional.empty());
  }

  private static Optional<Verdict> verdict(List<AgentAnswer> known) {
    return of(known, List.of(answer(ONE, PAIR, Verdict.SAME))).said(PAIR).flatMap(Said::verdict);
  }

  @Test
  void aClientThatReadsCountsOnceItIsMeasured() {
    assertEquals(
        Optional.empty(), verdict(known(ONE, Trust.LEAST_KNOWN - 1, AgentAnswersTest::right)));
    assertEquals(
        Optional.of(Verdict.SAME), verdict(known(ONE, Trust.LEAST_KNOWN, AgentAnswersTest::right)));
  }

  @Test
  void aNewVersionIsMeasuredAnew() {
    AgentClient newer = new AgentClient(ONE.name(), "2");
    AgentAnswers said =
        of(known(ONE, 20, AgentAnswersTest::right), List.of(answer(newer, PAIR, Verdict.SAME)));
    assertEquals(Optional.empty(), said.said(PAIR).flatMap(Said::verdict));
    assertEquals(List.of(20, 0), said.clients().stream().map(one -> one.known().pairs()).toList());
  }

  @Test
  void aClientThatAnswersAllAlikeOrAgainstTheKnownPairsDecidesNothing() {
    for (Verdict verdict : Verdict.values()) {
      List<AgentAnswer> alike = known(ONE, 30, _ -> verdict);
      assertEquals(Optional.empty(), verdict(alike));
      assertTrue(of(alike).clients().getFirst().words().contains("It is guessing"));
    }
    assertEquals(
        Optional.empty(),
        verdict(
            known(ONE, 30, known -> known.truth() == Truth.SAME ? Verdict.RELATED : Verdict.SAME)));
  }

  @Test
  void aClientThatIsFasterThanItCanReadDecidesNothing() {
    List<AgentAnswer> hasty =
        known(ONE, 20, AgentAnswersTest::right).stream()
            .map(
                one ->
                    new AgentAnswer(
                        one.client(), one.question(), one.kind(), one.answer(), true, one.at()))
            .toList();
    assertEquals(Optional.empty(), verdict(hasty));
    assertTrue(of(hasty).clients().getFirst().words().contains("faster than it can read"));
  }

  @Test
  void twoClientsThatDisagreeAreShownAndTheBetterOneCounts() {
    List<AgentAnswer> both =
        List.of(answer(ONE, PAIR, Verdict.SAME), answer(TWO, PAIR, Verdict.RELATED));
    List<AgentAnswer> right = known(ONE, 20, AgentAnswersTest::right);
    Said equal = of(right, known(TWO, 20, AgentAnswersTest::right), both).said(PAIR).orElseThrow();
    assertEquals(Optional.empty(), equal.verdict());
    assertTrue(equal.isDisputed());
    assertEquals("agents disagree: same, by one 1; related, by two 2", equal.words());
    int[] asked = {0};
    List<AgentAnswer> nearly =
        known(TWO, 20, pair -> asked[0]++ % 10 == 0 ? Verdict.DIFFERENT : right(pair));
    assertEquals(
        Optional.of(Verdict.SAME), of(right, nearly, both).said(PAIR).orElseThrow().verdict());
  }

  @Test
  void theBetterOneOfAgentAndModelCounts() {
    int[] asked = {0};
    List<AgentAnswer> nearly = // 9 of 10
        known(ONE, 20, pair -> asked[0]++ % 10 == 0 ? Verdict.OVERTAKEN : right(pair));
    Trust trust = of(nearly).clients().getFirst();
    assertEquals(20, trust.known().pairs());
    assertTrue(trust.known().right() >= 18, trust.words());
    assertTrue(trust.counts(Optional.of(new JudgeTrust(60, 48, Map.of(), 0.8))));
    JudgeTrust better = new JudgeTrust(60, 60, Map.of(), 0.9);
    assertEquals(trust.known().right() == 20, trust.counts(Optional.of(better)));
    assertTrue(trust.counts(Optional.of(new JudgeTrust(60, 60, Map.of(), 0))));
  }

  @Test
  void knownPairsAreOfEachTruthAndFewerOnceTheClientIsMeasured() {
    Set<String> answered = new HashSet<>();
    for (int page = 0; page < 3; page++) {
      List<KnownPairs.Known> next = KnownPairs.next(10, answered);
      assertEquals(4, next.size());
      next.forEach(known -> assertTrue(answered.add(known.id())));
    }
    List<KnownPairs.Known> asked =
        KnownPairs.next(1000, Set.of()).stream()
            .sorted(Comparator.comparing(KnownPairs.Known::id))
            .toList();
    assertEquals(60, asked.size());
    for (Truth truth : Truth.values()) {
      assertEquals(
          4,
          asked.stream()
              .filter(known -> known.truth() == truth && answered.contains(known.id()))
              .count());
    }
    assertEquals(1, KnownPairs.next(10, answered).size());
    asked.forEach(known -> answered.add(known.id()));
    assertEquals(List.of(), KnownPairs.next(10, answered));
  }

  @Test
  void ofSmallPagesAsManyPairsAreKnownAsOfLargeOnes() {
    for (int count : List.of(1, 2, 3)) {
      Set<String> answered = new HashSet<>();
      int known = 0;
      while (answered.size() < 24) {
        List<KnownPairs.Known> next = KnownPairs.next(count, answered);
        known += next.size();
        int page = answered.size() + count;
        next.forEach(one -> answered.add(one.id()));
        while (answered.size() < page) {
          answered.add("other " + answered.size());
        }
      }
      assertEquals(10, known, "questions at once: " + count);
    }
  }

  @Test
  void theNameOfAClientIsTextInEveryFormat() {
    AgentClient hostile =
        new AgentClient("**x** [y](http://z)\n<b>" + "w".repeat(100), "\u001b[2J");
    assertEquals(hostile, new AgentClient(hostile.name(), hostile.version()), "as it is kept");
    assertTrue(hostile.name().length() <= 60);
    assertFalse(hostile.title().matches("(?s).*[*\\[\\]()<>/\n\u001b].*"), hostile.title());
    assertEquals("claude-code 2.1.0", new AgentClient("claude-code", "2.1.0").title());
    assertEquals("unnamed", new AgentClient(" ", "").title());
  }

  @Test
  void anIdIsGoodForOneStateOfBothTexts() {
    assertEquals(
        4,
        Stream.of(
                PAIR,
                AgentQuestion.ofPair("newer", "older"),
                AgentQuestion.ofPair("older", "newer."),
                AgentQuestion.ofPair("older.", "newer"))
            .distinct()
            .count());
  }
}
