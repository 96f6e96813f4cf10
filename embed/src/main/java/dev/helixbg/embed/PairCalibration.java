package dev.helixbg.embed;

/**
 * Calibration of the pair judge's logits, measured on collections that were not used for training.
 *
 * @param temperature divisor of the logits before they become probabilities; positive
 * @param likelySame probability from which nine of ten pairs are the same; above 1 if no
 *     probability reaches that
 * @param likelyOvertaken probability from which nine of ten pairs are overtaken; above 1 if no
 *     probability reaches that
 * @param scoreWeight weight of the score by vectors and words, which is added to the logits of same
 *     and overtaken
 */
public record PairCalibration(
    double temperature, double likelySame, double likelyOvertaken, double scoreWeight) {

  /**
   * Returns probabilities in the order of {@link PairReader.Relation}.
   *
   * @param score score of the pair by vectors and words
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
