package dev.helixbg.insight.label;

/**
 * A guess of a model, of the classifier or of an agent at the label that fits an entry.
 *
 * @param score the model's probability, or the classifier's output, about 1 for a clear case
 * @param sure whether the guess is certain enough to be shown as the entry's label
 */
public record LabelGuess(Origin origin, Label label, double score, boolean sure) {

  public enum Origin {
    MODEL,
    AGENT,
    CLASSIFIER
  }
}
