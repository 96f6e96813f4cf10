package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

@FunctionalInterface
public interface RememberedAnswers {
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  default void add(Map<AnswerStore.Id, Answer> some) {}

  /** Deletes answers unless {@code keys} has their key and {@code versions} their prompt. */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
