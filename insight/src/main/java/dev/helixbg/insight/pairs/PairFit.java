package dev.helixbg.insight.pairs;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Relation;
import java.util.List;

/**
 * Fit of the pair judge to answers about pairs of one knowledge base. It says how far the judge's
 * logits are to be trusted beside the score by vectors and words. It also says how often a pair is
 * the same or overtaken there. The weights of the judge stay as they are.
 *
 * @param temperature logits are divided by it before the score is added
 * @param same is added to the logit of same, in units of the calibration's temperature
 * @param overtaken likewise
 */
record PairFit(double temperature, double same, double overtaken) {
  /** Changes nothing: there are too few answers. */
  static final PairFit NONE = new PairFit(1, 0, 0);

  private static final int LEAST = 40;

  /** Share of answers that are right, as the fit has it: one that is wrong must not decide. */
  private static final double RIGHT = 0.97;

  /** Standard deviation of the logarithm of the temperature before any answer. */
  private static final double TEMPERATURE = 0.5;

  /** The same of what is added to a logit. */
  private static final double BIAS = 2;

  /** Values of each parameter that are tried on each side of {@link #NONE}. */
  private static final int STEPS = 6;

  /**
   * An answer about a pair that the judge has read.
   *
   * @param score of the pair by vectors and words
   */
  record Answered(float[] logits, double score, boolean isWorthAnAct) {}

  /** The likeliest of a grid; none with fewer than {@value #LEAST} answers. */
  static PairFit of(List<Answered> answers, PairCalibration calibration, ActFrequency frequency) {
    PairFit best = NONE;
    double most = Double.NEGATIVE_INFINITY;
    for (int step = -STEPS; step <= STEPS && answers.size() >= LEAST; step++) {
      for (int same = -STEPS; same <= STEPS; same++) {
        for (int overtaken = -STEPS; overtaken <= STEPS; overtaken++) {
          double log = step / 10.0;
          PairFit fit = new PairFit(StrictMath.exp(log), same, overtaken);
          PairAssessor fitted = new PairAssessor(calibration, fit);
          double likelihood = -squared(log / TEMPERATURE) - squared(same / BIAS);
          likelihood -= squared(overtaken / BIAS);
          for (Answered one : answers) {
            double act = frequency.adjusted(fitted.act(one.logits, one.score));
            likelihood += 2 * logLikelihood(one.isWorthAnAct ? act : 1 - act);
          }
          if (likelihood > most) {
            most = likelihood;
            best = fit;
          }
        }
      }
    }
    return best;
  }

  /** The log likelihood of an answer, which may be wrong, by the probability of what it says. */
  private static double logLikelihood(double probability) {
    return StrictMath.log(1 - RIGHT + (2 * RIGHT - 1) * probability);
  }

  private static double squared(double x) {
    return x * x;
  }

  /** The logits of a reading, as this knowledge base has them. */
  float[] applied(float[] logits, PairCalibration calibration) {
    float[] fitted = new float[logits.length];
    for (int i = 0; i < logits.length; i++) {
      fitted[i] = (float) (logits[i] / temperature);
    }
    fitted[Relation.SAME.ordinal()] += (float) (same * calibration.temperature());
    fitted[Relation.OVERTAKEN.ordinal()] += (float) (overtaken * calibration.temperature());
    return fitted;
  }
}
