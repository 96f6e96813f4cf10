package dev.helixbg.insight.label;

/**
 * A guess at the label of an entry, made by a model, by the classifier or by an agent.
 *
 * @param score the model's probability, or the classifier's score, which is about 1 in a clear case
 * @param sure whether the guess is certain enough to be shown as the entry's label
 */
public record LabelGuess(Origin origin, Label label, double score, boolean sure) {

  public enum Origin {
    MODEL,
    AGENT,
    CLASSIFIER
  }
}
