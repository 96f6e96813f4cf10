package dev.helixbg.insight.judge;

/**
 * What a model said.
 *
 * @param text one of the job's choices, or free text
 * @param probability of that choice among all; 1 for free text
 * @param runnerUp the next choice; empty for free text
 * @param runnerUpProbability of that
 * @param cut whether the model saw only the beginning of a text
 */
public record Answer(
    String text, double probability, String runnerUp, double runnerUpProbability, boolean cut) {

  static Answer free(String text, boolean cut) {
    return new Answer(text, 1, "", 0, cut);
  }
}
