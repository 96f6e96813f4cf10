package dev.helixbg.insight.judge;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Answers questions. The answerer is a language model, or a test with known answers. */
public interface QuestionAnswerer extends AutoCloseable {

  /**
   * Answers the first questions in a list of questions of one job, at least one question.
   *
   * @return answers in order; the remaining questions were not asked
   * @throws java.util.concurrent.CancellationException if cancelled
   */
  List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled);

  @Override
  default void close() {}
}
