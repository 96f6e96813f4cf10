package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplerTest {
  /** Logits of the probabilities 0.4, 0.3, 0.2, 0.1, in the places 2, 0, 3, 1. */
  private static float[] logits() {
    return new float[] {log(0.3), log(0.1), log(0.4), log(0.2)};
  }

  private static float log(double probability) {
    return (float) Math.log(probability);
  }

  /** How often each of the four tokens comes in 10,000 draws, as shares. */
  private static double[] shares(SamplingOptions sampling) {
    Sampler sampler = new Sampler(sampling, 4);
    double[] shares = new double[4];
    for (int i = 0; i < 10_000; i++) {
      shares[sampler.choose(logits())] += 1e-4;
    }
    return shares;
  }

  private static void assertShares(double[] expected, double[] actual) {
    assertArrayEquals(expected, actual, 0.02);
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i] == 0, actual[i] == 0, "token " + i);
    }
  }

  @Test
  void temperatureOneDrawsByTheModelsProbabilities() {
    assertShares(new double[] {0.3, 0.1, 0.4, 0.2}, shares(new SamplingOptions(1, 0, 1, 0, 1, 1)));
  }

  @Test
  void temperatureHalfSquaresTheProbabilities() {
    assertShares(
        new double[] {0.3, 1 / 30.0, 16 / 30.0, 4 / 30.0},
        shares(new SamplingOptions(0.5, 0, 1, 0, 1, 1)));
  }

  @Test
  void topKKeepsTheLikeliest() {
    assertShares(
        new double[] {3 / 7.0, 0, 4 / 7.0, 0}, shares(new SamplingOptions(1, 2, 1, 0, 1, 1)));
  }

  /** Whether they were ranked by insertion or by sorting. */
  @Test
  void fewAndManyOfTheLikeliestAreDrawnAlike() {
    float[] logits = new float[1000];
    for (int i = 0; i < logits.length; i++) {
      logits[i] = i * 37 % 101 / 10f;
    }
    // Some 70 tokens are at least half as likely as the likeliest.
    Sampler few = new Sampler(new SamplingOptions(2, 128, 1, 0.5, 1, 3), logits.length);
    Sampler many = new Sampler(new SamplingOptions(2, 129, 1, 0.5, 1, 3), logits.length);
    for (int i = 0; i < 300; i++) {
      int drawn = few.choose(logits.clone());
      assertEquals(many.choose(logits.clone()), drawn);
      assertTrue(logits[drawn] > 9.3, "logit " + logits[drawn]);
    }
  }

  @Test
  void topPKeepsTokensUntilTheirSumReachesIt() {
    assertShares(
        new double[] {3 / 9.0, 0, 4 / 9.0, 2 / 9.0},
        shares(new SamplingOptions(1, 0, 0.75, 0, 1, 1)));
    assertShares(new double[] {0, 0, 1, 0}, shares(new SamplingOptions(1, 0, 0.01, 0, 1, 1)));
  }

  @Test
  void minPKeepsWhatIsNotFarBelowTheLikeliest() {
    assertShares(
        new double[] {3 / 7.0, 0, 4 / 7.0, 0}, shares(new SamplingOptions(1, 0, 1, 0.6, 1, 1)));
  }

  @Test
  void filtersWorkOneAfterTheOther() {
    // Top-k leaves 0.4, 0.3, 0.2; of those 0.44 and 0.33 reach 0.7; min-p 0.8 then drops the
    // second.
    assertShares(new double[] {0, 0, 1, 0}, shares(new SamplingOptions(1, 3, 0.7, 0.8, 1, 1)));
    assertShares(
        new double[] {3 / 7.0, 0, 4 / 7.0, 0}, shares(new SamplingOptions(1, 3, 0.7, 0.7, 1, 1)));
  }

  @Test
  void theSameSeedGivesTheSameTokensAndAnotherDoesNot() {
    assertArrayEquals(drawn(7), drawn(7));
    assertFalse(Arrays.equals(drawn(7), drawn(8)));
  }

  /** These numbers must never change: they follow from the specification of java.util.Random. */
  @Test
  void theTokensOfASeedAreTheSameEverywhere() {
    assertArrayEquals(new int[] {3, 0, 2, 2, 0, 1, 2, 2}, Arrays.copyOf(drawn(42), 8));
  }

  private static int[] drawn(long seed) {
    Sampler sampler = new Sampler(new SamplingOptions(1, 0, 1, 0, 1, seed), 4);
    return IntStream.range(0, 50).map(i -> sampler.choose(logits())).toArray();
  }

  @Test
  void theRepetitionPenaltyDividesPositiveAndMultipliesNegativeLogits() {
    Sampler sampler = new Sampler(new SamplingOptions(0, 0, 1, 0, 2, 1), 3);
    sampler.saw(0);
    sampler.saw(0);
    assertEquals(1, sampler.choose(new float[] {3, 1.6f, -9}));
    assertEquals(0, sampler.choose(new float[] {3, 1.4f, -9}));
    assertEquals(2, sampler.choose(new float[] {-1, -3, -1.9f}));
  }

  @Test
  void tokensLongAgoAreNotPenalised() {
    Sampler sampler = new Sampler(new SamplingOptions(0, 0, 1, 0, 2, 1), 3);
    sampler.saw(0);
    for (int i = 0; i < SamplingOptions.REPETITION_WINDOW; i++) {
      sampler.saw(2);
    }
    assertEquals(0, sampler.choose(new float[] {3, 2, -9}));
  }

  @Test
  void amongEqualLogitsTheFirstIsTheLikeliest() {
    Sampler sampler = new Sampler(new SamplingOptions(0, 0, 1, 0, 1.1, 1), 4);
    assertEquals(1, sampler.choose(new float[] {-1, 2, 2, 0}));
    assertEquals(0, sampler.choose(new float[] {0f, -0f, -5, -5}));
  }

  @Test
  void impossibleSettingsAreRefusedByName() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> new SamplingOptions(1, 0, 0, 0, 1, 1));
    assertTrue(e.getMessage().contains("top-p must be above 0, up to 1, not 0"), e.getMessage());
    assertThrows(
        IllegalArgumentException.class, () -> new SamplingOptions(Double.NaN, 0, 1, 0, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new SamplingOptions(1, -1, 1, 0, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new SamplingOptions(1, 0, 1, 0, 0, 1));
  }
}
