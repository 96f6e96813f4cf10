package dev.helixbg.embed;

/**
 * Calibration of the pair judge's logits, as measured on collections that it was not trained on.
 *
 * @param temperature logits are divided by it before they become probabilities; positive
 * @param likelySame probability from which nine of ten pairs are the same; above 1 if there is none
 * @param likelyOvertaken probability from which nine of ten pairs are overtaken; likewise
 * @param scoreWeight what the score by vectors and words is multiplied with before it is added to
 *     the logits of same and overtaken, for probabilities, and so to their log odds, to rank by
 */
public record PairCalibration(
    double temperature, double likelySame, double likelyOvertaken, double scoreWeight) {

  /**
   * Probabilities in the order of {@link PairReader.Relation}.
   *
   * @param score of the pair by vectors and words
   */
  public double[] probabilities(float[] logits, double score) {
    double[] sums = new double[logits.length];
    double largest = Double.NEGATIVE_INFINITY;
    for (PairReader.Relation relation : PairReader.Relation.values()) {
      int i = relation.ordinal();
      boolean worthAnAct =
          relation == PairReader.Relation.SAME || relation == PairReader.Relation.OVERTAKEN;
      sums[i] = logits[i] + (worthAnAct ? scoreWeight * score : 0);
      largest = Math.max(largest, sums[i]);
    }
    double[] probabilities = new double[logits.length];
    double sum = 0;
    for (int i = 0; i < logits.length; i++) {
      probabilities[i] = StrictMath.exp((sums[i] - largest) / temperature);
      sum += probabilities[i];
    }
    for (int i = 0; i < logits.length; i++) {
      probabilities[i] /= sum;
    }
    return probabilities;
  }
}
