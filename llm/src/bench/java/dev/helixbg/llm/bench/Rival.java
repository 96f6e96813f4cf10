package dev.helixbg.llm.bench;

/** Another engine that runs the same model. Its rounds alternate with runs of this engine. */
@FunctionalInterface
public interface Rival {
  /**
   * Runs a measured round. If the thread is interrupted, soon returns an arbitrary number.
   *
   * @param test {@code pp} or {@code tg}, as in {@link LlmBench}
   * @return tokens per second
   * @throws RivalException if the rival ended, gave no number, or took too long
   */
  double round(String test, int tokens);
}
