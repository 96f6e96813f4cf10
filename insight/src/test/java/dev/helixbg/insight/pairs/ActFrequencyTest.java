package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class ActFrequencyTest {
  /**
   * Returns the probabilities of a judge for pairs, of which {@code share} are worth an act. The
   * judge is calibrated for the share {@link ActFrequency#CALIBRATED}.
   */
  private static double[] said(int pairs, double share) {
    Random random = new Random(1);
    return DoubleStream.generate(
            () -> {
              boolean worth = random.nextDouble() < share;
              // The means of the two normal distributions are 2 apart, so the log of their ratio is
              // 2 x.
              double x = random.nextGaussian() + (worth ? 1 : -1);
              double odds =
                  Math.exp(2 * x) * ActFrequency.CALIBRATED / (1 - ActFrequency.CALIBRATED);
              return odds / (1 + odds);
            })
        .limit(pairs)
        .toArray();
  }

  @Test
  void theShareIsFoundWithoutAnyTruth() {
    assertEquals(0.05, ActFrequency.of(said(20_000, 0.05)).share(), 0.01);
    assertEquals(0.15, ActFrequency.of(said(20_000, 0.15)).share(), 0.01);
    assertEquals(ActFrequency.CALIBRATED, ActFrequency.of(said(20_000, 0.6)).share());
  }

  @Test
  void whereNothingIsSaidTwiceWhatIsUnlikelyElsewhereDoesNotLead() {
    double[] said = DoubleStream.generate(() -> 0.02).limit(400).toArray();
    for (int i = 0; i < 5; i++) {
      said[i] = 0.6;
    }
    ActFrequency kept = ActFrequency.of(said);
    assertTrue(kept.adjusted(0.6) < 0.5);
    assertTrue(kept.adjusted(0.999) > 0.5, "one that is as good as certain leads");
  }

  @Test
  void adjustingKeepsTheOrderAndTheEnds() {
    ActFrequency some = new ActFrequency(0.03);
    double before = -1;
    for (double act = 0; act <= 1; act += 0.01) {
      assertTrue(some.adjusted(act) > before);
      before = some.adjusted(act);
    }
    assertEquals(0, some.adjusted(0));
    assertEquals(1, some.adjusted(1));
    assertEquals(0.6, new ActFrequency(ActFrequency.CALIBRATED).adjusted(0.6), 1e-12);
    assertEquals(ActFrequency.CALIBRATED, ActFrequency.of(new double[0]).share());
  }
}
