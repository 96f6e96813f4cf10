package dev.helixbg.insight.judge;

import java.util.List;
import java.util.function.BooleanSupplier;

/** An answerer of questions: a language model, or in a test the truth. */
public interface QuestionAnswerer extends AutoCloseable {

  /**
   * Answers the first of some questions of one job, at least one.
   *
   * @return the answers, in order; the other questions were not asked
   * @throws java.util.concurrent.CancellationException if cancelled
   */
  List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled);

  @Override
  default void close() {}
}
