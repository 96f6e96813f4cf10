package dev.helixbg.llm.bench;

/** Another engine, measured in turn with ours on the same model. */
@FunctionalInterface
public interface Rival {
  /**
   * Runs a round; an interrupted thread gets any number, soon.
   *
   * @param test {@code pp} or {@code tg}, as of {@link LlmBench}
   * @return tokens per second
   * @throws RivalException if it ended, gave no number, or took too long
   */
  double round(String test, int tokens);
}
