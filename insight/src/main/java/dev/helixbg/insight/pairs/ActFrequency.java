package dev.helixbg.insight.pairs;

/**
 * The share of pairs that are worth an act, among the pairs of one knowledge base that the judge of
 * notes has read. A pair is worth an act if one of its two entries can be removed. This judge was
 * calibrated on knowledge bases to which repetitions had been added, so that 22 % of the pairs are
 * worth an act. In a well-kept knowledge base, hardly any pair is worth an act. The share is
 * therefore estimated from the pairs that were read, and the probabilities are adjusted to this
 * share. Method: Saerens, Latinne and Decaestecker 2002, <i>Adjusting the Outputs of a Classifier
 * to New a Priori Probabilities</i>, Neural Computation 14.
 *
 * @param share share of the pairs that are worth an act; above 0, at most {@link #CALIBRATED}
 */
public record ActFrequency(double share) {
  /** Share of pairs that are worth an act among the pairs of the calibration: 1,993 of 9,069. */
  static final double CALIBRATED = 0.22;

  /**
   * Number of invented pairs that the estimate adds to the pairs that were read. Of these invented
   * pairs, the share {@link #CALIBRATED} is worth an act.
   */
  private static final int MORE = 20;

  private static final int STEPS = 1_000;
  private static final double LEAST_STEP = 1e-9;

  /**
   * Estimates the share by expectation maximization. Because of the {@value #MORE} invented pairs,
   * an almost certain pair can be at the report's top even if only a few pairs were read. The share
   * is at most {@link #CALIBRATED}, because the accuracy was measured only up to that share.
   *
   * @param acts for each pair, the calibrated probability that it is worth an act
   */
  static ActFrequency of(double[] acts) {
    double share = CALIBRATED;
    double before = 0;
    for (int step = 0; step < STEPS && Math.abs(share - before) >= LEAST_STEP; step++) {
      ActFrequency now = new ActFrequency(share);
      double sum = MORE * CALIBRATED;
      for (double act : acts) {
        sum += now.adjusted(act);
      }
      before = share;
      share = Math.min(CALIBRATED, sum / (acts.length + MORE));
    }
    return new ActFrequency(share);
  }

  /** Adjusts the calibrated probability of an act to this knowledge base. */
  double adjusted(double act) {
    double worth = act * share / CALIBRATED;
    double not = (1 - act) * (1 - share) / (1 - CALIBRATED);
    return worth + not == 0 ? 0 : worth / (worth + not);
  }
}
