package dev.helixbg.llm.generate;

import java.util.Set;

/**
 * What to generate.
 *
 * @param maxTokens of the answer, at least 1
 * @param sampling how each is chosen
 * @param stopTokens end the answer, and are no part of it
 */
public record GenerationOptions(int maxTokens, SamplingOptions sampling, Set<Integer> stopTokens) {
  public GenerationOptions {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("the answer must have at least 1 token, not " + maxTokens);
    }
    stopTokens = Set.copyOf(stopTokens);
  }
}
