package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Tier;
import dev.helixbg.insight.pairs.PairFit.Answered;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairFitTest {
  private static final PairCalibration CALIBRATION = new PairCalibration(1.4, 0.95, 0.9, 8);
  private static final float[] SAME = {3, 0, 0, 0};
  private static final float[] OVERTAKEN = {0, 3, 0, 0};
  private static final float[] RELATED = {0, 0, 3, 0};

  private static List<Answered> answers(int of, boolean related) {
    List<Answered> answers = new ArrayList<>();
    for (int i = 0; i < of; i += 3) {
      answers.add(new Answered(SAME, 0, false));
      answers.add(new Answered(OVERTAKEN, 0, true));
      answers.add(new Answered(RELATED, 0, related));
    }
    return answers;
  }

  private static PairFit fit(List<Answered> answers) {
    return PairFit.of(answers, CALIBRATION, new ActFrequency(ActFrequency.CALIBRATED));
  }

  private static Assessment said(PairFit fit, float[] logits) {
    return new PairAssessor(CALIBRATION, fit)
        .of(
            new Reading(logits, true, true),
            0,
            "The lease ends after half a minute.",
            "A lease is over after half a minute.",
            new ActFrequency(ActFrequency.CALIBRATED));
  }

  @Test
  void fewAnswersTeachNothing() {
    assertEquals(PairFit.NONE, fit(answers(39, true)));
    assertEquals(PairFit.NONE, fit(List.of()));
    assertArrayEquals(SAME, PairFit.NONE.applied(SAME, CALIBRATION));
  }

  @Test
  void whatIsNeverWorthAnActHereIsSaidLessOftenAndTheOtherStays() {
    PairFit fit = fit(answers(42, false));
    assertTrue(fit.same() < 0, fit::toString);
    assertTrue(said(fit, SAME).act() < 0.3, () -> said(fit, SAME).toString());
    assertTrue(said(fit, OVERTAKEN).act() > 0.5, () -> said(fit, OVERTAKEN).toString());
    assertTrue(said(fit, OVERTAKEN).logOdds() > said(fit, SAME).logOdds());
  }

  /** If a tenth of the answers is reversed, the fit still follows the majority of the answers. */
  @Test
  void someWrongAnswersDoNotDecide() {
    List<Answered> answers = answers(60, false);
    for (int i = 0; i < answers.size(); i += 10) {
      Answered one = answers.get(i);
      answers.set(i, new Answered(one.logits(), one.score(), !one.isWorthAnAct()));
    }
    PairFit fit = fit(answers);
    assertTrue(said(fit, OVERTAKEN).logOdds() > said(fit, SAME).logOdds(), fit::toString);
  }

  /**
   * The tier <i>likely the same</i> was measured without a fit. Answers therefore cannot lift a
   * pair into this tier.
   */
  @Test
  void noAnswerMakesAPairLikelierThanItsTierPromises() {
    float[] unsure = {1, 0, 2, 0};
    PairFit fit = fit(Collections.nCopies(60, new Answered(unsure, 0, true)));
    assertTrue(fit.same() > 0, fit::toString);
    assertTrue(said(fit, SAME).same() > CALIBRATION.likelySame(), () -> said(fit, SAME) + "");
    assertEquals(Tier.RELATED, said(fit, SAME).tier());
  }
}
