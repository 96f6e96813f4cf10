package dev.helixbg.insight.label;

/**
 * Which label fits an entry, as far as a machine can tell.
 *
 * @param origin who says so
 * @param score of the label: the model's probability, or the classifier's output, about 1 for a
 *     clear case
 * @param sure whether it is good enough to be shown as the entry's label
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
