package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.judge.JudgeTrial.Pair;
import dev.helixbg.insight.judge.JudgeTrial.Truth;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests the measurement of a judge with judges whose reliability is known. */
class JudgeTrialTest extends StoreFixture {
  private final Map<Question, Truth> truth = new HashMap<>();

  JudgeTrialTest() {
    for (Pair pair : JudgeTrial.pairs()) {
      truth.put(pair.both(), pair.truth());
      truth.put(pair.holds(), pair.truth());
    }
  }

  private Optional<JudgeTrust> measure(Function<Question, Answer> judge, Duration time)
      throws Exception {
    try (QuestionSession asking = asking(new TruthfulOracle(judge), time)) {
      return new JudgeTrial(asking).ask();
    }
  }

  private static Answer answer(String choice, String first, String second) {
    String other = choice.equals("valid") ? "outdated" : "valid";
    String next = choice.equals("same") ? "related" : "same";
    boolean isPair = !choice.equals("valid") && !choice.equals("outdated");
    return new Answer(choice, 0.9, isPair ? next : other, 0.1, 0, List.of(first, second));
  }

  private Answer right(Question question) {
    Truth of = truth.get(question);
    String choice =
        question.job() == QuestionKind.PAIR
            ? of == Truth.SAME ? "same" : of == Truth.OVERTAKEN ? "related" : "different"
            : of == Truth.OVERTAKEN ? "outdated" : "valid";
    return answer(choice, choice, choice);
  }

  @Test
  void whoKnowsTheTruthIsTrusted() throws Exception {
    assertEquals(Optional.empty(), measure(this::right, Duration.ZERO), "nothing was asked");
    JudgeTrust trust = measure(this::right, Duration.ofDays(1)).orElseThrow();
    assertEquals(60, trust.pairs());
    assertEquals(60, trust.right());
    assertEquals(new JudgeTrust.Tally(18, 18), trust.said().get(Verdict.SAME));
    assertEquals(new JudgeTrust.Tally(16, 16), trust.said().get(Verdict.OVERTAKEN));
    assertEquals(new JudgeTrust.Tally(26, 26), trust.said().get(Verdict.DIFFERENT));
    assertEquals(1, trust.kappa(), 1e-12);
    assertFalse(trust.isGuessing());
    assertFalse(trust.words().contains("guessing"), trust.words());
    assertEquals(
        Optional.of(trust),
        measure(
            question -> {
              throw new AssertionError("asked again");
            },
            Duration.ZERO),
        "it is remembered, orders and all");
  }

  /**
   * A judge that always gives the same answer agrees with itself in both orders, but is guessing.
   */
  @Test
  void oneAnswerToEverythingIsGuessing() throws Exception {
    JudgeTrust trust =
        measure(q -> answer("different", "different", "different"), Duration.ofDays(1))
            .orElseThrow();
    assertEquals(26, trust.right());
    assertEquals(0, trust.kappa());
    assertTrue(trust.isGuessing());
    assertTrue(trust.words().contains("The model is guessing"), trust.words());
  }

  /** The judge is right in the mean of both orders, but its answers in the two orders differ. */
  @Test
  void whoSaysSomethingElseInEitherOrderIsGuessing() throws Exception {
    JudgeTrust trust =
        measure(
                question -> {
                  Answer right = right(question);
                  return new Answer(
                      right.text(),
                      right.probability(),
                      right.runnerUp(),
                      right.runnerUpProbability(),
                      0,
                      List.of(right.text(), right.runnerUp()));
                },
                Duration.ofDays(1))
            .orElseThrow();
    assertEquals(60, trust.right());
    assertTrue(trust.kappa() < 0, trust::toString);
    assertTrue(trust.isGuessing());
  }

  /** The agreement is 0.7; by chance it would be 0.5. Formula: Cohen 1960. */
  @Test
  void kappaIsAgreementBeyondChance() {
    List<String> yes = List.of("a", "a");
    List<String> no = List.of("b", "b");
    List<String> mixed = List.of("a", "b");
    List<String> turned = List.of("b", "a");
    List<List<String>> rows =
        List.of(
            yes, yes, yes, yes, no, no, no, mixed, turned, turned); // the columns have 5:5 and 6:4
    assertEquals((0.7 - 0.5) / 0.5, JudgeTrial.kappa(rows), 1e-12);
    assertEquals(0, JudgeTrial.kappa(List.of(yes, yes)));
    assertEquals(0, JudgeTrial.kappa(List.of(List.of(), List.of())), "nobody noted the orders");
  }
}
