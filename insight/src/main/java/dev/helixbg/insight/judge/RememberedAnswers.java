package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Saved answers. */
@FunctionalInterface
public interface RememberedAnswers {
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  default void add(Map<AnswerStore.Id, Answer> some) {}

  /**
   * Deletes answers to questions that are not asked any more.
   *
   * @param keys keys of all present questions
   * @param versions versions of the prompts in use
   */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
