package dev.helixbg.insight.judge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * An oracle in the model's place: it answers one question at a time, and keeps what it was asked.
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
