package dev.helixbg.embed;

/**
 * What logits of the pair judge are worth, as measured on collections that it was not trained on.
 *
 * @param temperature logits are divided by it before they become probabilities; positive
 * @param likelySame from which probability on nine of ten are the same; above 1 where none is
 * @param likelyOvertaken from which probability on nine of ten are overtaken; likewise
 * @param scoreWeight what the score by vectors and words is multiplied with before it is added to
 *     the log odds of same or overtaken, to rank by
 */
public record PairCalibration(
    double temperature, double likelySame, double likelyOvertaken, double scoreWeight) {

  /** Probabilities in the order of {@link PairReader.Relation}. */
  public double[] probabilities(float[] logits) {
    double largest = Double.NEGATIVE_INFINITY;
    for (float logit : logits) {
      largest = Math.max(largest, logit);
    }
    double[] probabilities = new double[logits.length];
    double sum = 0;
    for (int i = 0; i < logits.length; i++) {
      probabilities[i] = StrictMath.exp((logits[i] - largest) / temperature);
      sum += probabilities[i];
    }
    for (int i = 0; i < logits.length; i++) {
      probabilities[i] /= sum;
    }
    return probabilities;
  }
}
