package dev.helixbg.insight.pairs;

/**
 * How many of the pairs that were read in one knowledge base are worth an act. The pair judge's
 * probabilities are those of knowledge bases into which notes were planted, where every fifth pair
 * is worth an act; in a knowledge base that is kept with care hardly any is. So the share is
 * estimated from what was read there, without any truth, and the probabilities are adjusted to it:
 * Saerens, Latinne and Decaestecker 2002, <i>Adjusting the Outputs of a Classifier to New a Priori
 * Probabilities</i>, Neural Computation 14.
 *
 * @param share of the pairs, above 0, at most {@link #CALIBRATED}
 */
public record ActFrequency(double share) {
  /** The share among the pairs that the judge was calibrated on: 1,993 of 9,069. */
  static final double CALIBRATED = 0.22;

  /** The estimate, as long as nothing was read. */
  static final ActFrequency UNKNOWN = new ActFrequency(CALIBRATED);

  /** Pairs of the calibrated share that the estimate begins with. */
  private static final int MORE = 20;

  private static final int STEPS = 1_000;
  private static final double LEAST_STEP = 1e-9;

  /**
   * Estimates it by expectation maximization, as if some more pairs had been read, of the
   * calibrated share: among few pairs, or where nothing else is the same, a pair that is as good as
   * certain still leads. It is never higher than {@link #CALIBRATED}: what is promised of a pair
   * was measured up to there only.
   *
   * @param acts the probability that a pair is worth an act, as calibrated, of each pair
   */
  static ActFrequency of(double[] acts) {
    double share = CALIBRATED;
    for (int step = 0; step < STEPS && acts.length > 0; step++) {
      ActFrequency now = new ActFrequency(share);
      double sum = MORE * CALIBRATED;
      for (double act : acts) {
        sum += now.adjusted(act);
      }
      double next = Math.min(CALIBRATED, sum / (acts.length + MORE));
      boolean rests = Math.abs(next - share) < LEAST_STEP;
      share = next;
      if (rests) {
        break;
      }
    }
    return new ActFrequency(share);
  }

  /** The probability that a pair is worth an act in this knowledge base. */
  double adjusted(double act) {
    double worth = act * share / CALIBRATED;
    double not = (1 - act) * (1 - share) / (1 - CALIBRATED);
    return worth + not == 0 ? 0 : worth / (worth + not);
  }
}
