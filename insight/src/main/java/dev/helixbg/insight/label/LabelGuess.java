package dev.helixbg.insight.label;

/**
 * A machine's guess which label fits an entry.
 *
 * @param origin who guessed
 * @param score the score of the label: the model's probability, or the classifier's output, which
 *     is about 1 for a clear case
 * @param sure whether the guess is certain enough to be shown as the entry's label
 */
public record LabelGuess(Origin origin, Label label, double score, boolean sure) {

  /** Who guessed. */
  public enum Origin {
    /** The language model. */
    MODEL,
    /** A coding agent of the user. */
    AGENT,
    /** The classifier, without a language model. */
    CLASSIFIER
  }
}
