package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

@FunctionalInterface
public interface RememberedAnswers {
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  default void add(Map<AnswerStore.Id, Answer> some) {}

  /**
   * Tells the store which answers are unused: those whose key is not in {@code keys}, or whose
   * prompt is not in {@code versions}. The store may delete them.
   */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
