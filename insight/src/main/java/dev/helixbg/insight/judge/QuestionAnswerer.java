package dev.helixbg.insight.judge;

import java.util.List;
import java.util.function.BooleanSupplier;

/** An object that answers questions: a language model, or a test with known answers. */
public interface QuestionAnswerer extends AutoCloseable {

  /**
   * Answers one or more questions from the beginning of a list. All questions of the list are of
   * one job.
   *
   * @return answers in the order of the questions; the remaining questions were not asked
   * @throws java.util.concurrent.CancellationException if cancelled
   */
  List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled);

  @Override
  default void close() {}
}
