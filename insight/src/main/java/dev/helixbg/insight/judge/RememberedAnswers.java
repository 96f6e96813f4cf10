package dev.helixbg.insight.judge;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

@FunctionalInterface
public interface RememberedAnswers {
  Map<AnswerStore.Id, Answer> find(Set<AnswerStore.Id> wanted);

  default void add(Map<AnswerStore.Id, Answer> some) {}

  /** Deletes all answers except answers with these keys of questions and versions of prompts. */
  default void forgetStale(Set<String> keys, Collection<String> versions) {}
}
