package dev.helixbg.insight.judge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Replaces the model in tests. It answers one question at a time with the known answer, and records
 * the questions.
 */
final class TruthfulOracle implements QuestionAnswerer {
  private final Function<Question, Answer> truth;
  final List<Question> asked = new ArrayList<>();

  TruthfulOracle(Function<Question, Answer> truth) {
    this.truth = truth;
  }

  @Override
  public List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled) {
    asked.add(questions.getFirst());
    return List.of(truth.apply(questions.getFirst()));
  }
}
