package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Answers that were given before. */
@FunctionalInterface
public interface RememberedAnswers {
  /** Gives those of the wanted answers that are known. */
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  /** Remembers answers that were given just now. */
  default void add(Map<AnswerStore.Id, Answer> some) {}

  /**
   * Forgets answers that no question has any more.
   *
   * @param keys of all questions that there are now
   * @param versions of the prompts in use
   */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
