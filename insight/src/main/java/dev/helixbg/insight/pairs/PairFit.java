package dev.helixbg.insight.pairs;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Relation;
import java.util.List;

/**
 * An adjustment ("fit") of a pair judge to the answers that agents gave about one knowledge base.
 * It changes the weight of the judge's logits relative to the score from vectors and words, and
 * shifts the logits of <i>same</i> and <i>overtaken</i>.
 *
 * @param temperature divisor of the logits, before the score is added
 * @param same addend to the logit of <i>same</i>, as a multiple of the calibration's temperature
 * @param overtaken addend to the logit of <i>overtaken</i>, as a multiple of the same temperature
 */
record PairFit(double temperature, double same, double overtaken) {
  /** The fit that changes nothing. It is used if there are too few answers. */
  static final PairFit NONE = new PairFit(1, 0, 0);

  private static final int LEAST = 40;

  /** Assumed share of right answers. It is below 1, so that one wrong answer has little effect. */
  private static final double RIGHT = 0.97;

  /** Prior standard deviation of the logarithm of the temperature. */
  private static final double TEMPERATURE = 0.5;

  /** Prior standard deviation of the addends {@code same} and {@code overtaken}. */
  private static final double BIAS = 2;

  /** Number of values of each parameter that are tried on each side of {@link #NONE}. */
  private static final int STEPS = 6;

  /** An answer about a pair, with the judge's logits and the score from vectors and words. */
  record Answered(float[] logits, double score, boolean isWorthAnAct) {}

  /** Returns the likeliest fit on a grid; {@link #NONE} for fewer than {@value #LEAST} answers. */
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
            double probability = one.isWorthAnAct ? act : 1 - act;
            likelihood += 2 * StrictMath.log(1 - RIGHT + (2 * RIGHT - 1) * probability);
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

  private static double squared(double x) {
    return x * x;
  }

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
