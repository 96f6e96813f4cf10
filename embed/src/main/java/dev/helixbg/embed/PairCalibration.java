package dev.helixbg.embed;

import dev.helixbg.embed.PairReader.Relation;

/**
 * Calibration of a pair judge's logits, measured on texts that were not used for training. If a
 * pair reaches the lower bound of a relation, this relation is right in nine of ten cases. A bound
 * above 1 means that no probability is high enough.
 *
 * @param temperature positive divisor of the logits before they are converted to probabilities
 * @param likelySame lower bound of the probability of <i>same</i>
 * @param likelyOvertaken lower bound of the probability of <i>overtaken</i>
 * @param scoreWeight factor of the pair's score, which is computed from vectors and words and is
 *     added to the logits of <i>same</i> and <i>overtaken</i>; 0 for the judge of facts
 */
public record PairCalibration(
    double temperature, double likelySame, double likelyOvertaken, double scoreWeight) {

  /** Returns the probability of each {@link Relation}, given the pair's score. */
  public double[] probabilities(float[] logits, double score) {
    double[] sums = new double[logits.length];
    double largest = Double.NEGATIVE_INFINITY;
    for (Relation relation : Relation.values()) {
      int i = relation.ordinal();
      boolean worthAnAct = relation == Relation.SAME || relation == Relation.OVERTAKEN;
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
