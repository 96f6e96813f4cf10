package dev.helixbg.insight.judge;

/**
 * Which label fits an entry, as far as a machine can tell.
 *
 * @param origin who says so
 * @param score of the label: the model's probability, or the similarity to its description
 * @param runnerUp the next best label
 * @param runnerUpScore of that
 * @param cut whether only the beginning of the entry was looked at
 */
public record Guess(
    Origin origin, Label label, double score, Label runnerUp, double runnerUpScore, boolean cut) {

  /** Who guessed. */
  public enum Origin {
    /** The language model. */
    MODEL,
    /** The nearest description of a label, by embedding. */
    EMBEDDING
  }
}
