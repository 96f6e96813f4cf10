package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

@FunctionalInterface
public interface RememberedAnswers {
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  default void add(Map<AnswerStore.Id, Answer> some) {}

  /**
   * May delete each answer whose key is not in {@code keys}, or whose prompt is not in {@code
   * versions}.
   */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
