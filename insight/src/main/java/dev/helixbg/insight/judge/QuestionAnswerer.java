package dev.helixbg.insight.judge;

import java.util.List;
import java.util.function.BooleanSupplier;

/** Answers questions: a language model, or a test with known answers. */
public interface QuestionAnswerer extends AutoCloseable {

  /**
   * Answers the first of some questions of one job, at least one.
   *
   * @return answers in order; the further questions were not asked
   * @throws java.util.concurrent.CancellationException if cancelled
   */
  List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled);

  @Override
  default void close() {}
}
