package dev.helixbg.insight.judge;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The reliability of a language model as a judge, measured on pairs with a known answer.
 *
 * @param right number of pairs with the right verdict, see {@link JudgeTrial.Truth}
 * @param said for each verdict, how often it was given and how often it was right
 * @param kappa Cohen's kappa: how far the answers in the two orders of a pair agree beyond chance;
 *     1 for full agreement, 0 for chance or a constant answer
 */
public record JudgeTrust(int pairs, int right, Map<Verdict, Tally> said, double kappa) {
  /** Minimum share of right verdicts. A constant verdict is right for at most 43 % of the pairs. */
  static final double LEAST_RIGHT = 0.6;

  public static final String UNMEASURED =
      "This model has not been measured as a judge yet. Until it is, the pair judge decides which"
          + " pairs come first.";

  public static final String GUESSING = "The model is guessing: do not act on its verdicts.";

  /** Minimum kappa. Below this value, agreement is called "fair" at best (Landis and Koch 1977). */
  private static final double LEAST_KAPPA = 0.4;

  /** Number of times that a verdict was given, and number of times that it was right. */
  public record Tally(int said, int right) {
    /** Adds a verdict to {@code tallies}; returns 1 if the verdict is right, else 0. */
    public static int count(Map<Verdict, Tally> tallies, Verdict verdict, JudgeTrial.Truth truth) {
      int right = JudgeTrial.Truth.of(verdict) == truth ? 1 : 0;
      Tally before = tallies.getOrDefault(verdict, new Tally(0, 0));
      tallies.put(verdict, new Tally(before.said + 1, before.right + right));
      return right;
    }
  }

  /**
   * Returns the numbers of right verdicts in words: {@code 40 rightly: 3 of 4 that it called same,
   * ...}.
   */
  String rightly() {
    return Arrays.stream(Verdict.values())
        .map(
            verdict -> {
              Tally tally = said.getOrDefault(verdict, new Tally(0, 0));
              return "%d of %d that it called %s"
                  .formatted(tally.right, tally.said, verdict.title());
            })
        .collect(Collectors.joining(", ", right + " rightly: ", ""));
  }

  public String words() {
    return ("Of %d pairs whose right verdict is known, this model judged %s; its answers in both"
                + " orders of a pair agree beyond chance by %s (Cohen’s kappa; 1 means that they"
                + " always agree).")
            .formatted(pairs, rightly(), hundredths(kappa))
        + (isGuessing()
            ? " " + GUESSING + " To see larger models, run 'helix-bg fetch-models list'."
            : "");
  }

  static String hundredths(double value) {
    return BigDecimal.valueOf(Math.round(100 * value), 2).toPlainString();
  }

  /**
   * Returns sentences that tell the user whether this model chooses the pairs in the top section of
   * the report.
   */
  public String leads() {
    return isGuessing()
        ? "The pair judge decides which pairs come first, because this model was wrong or"
            + " contradicted itself too often."
        : "Pairs that this model calls the same or overtaken come first, because it was right often"
            + " enough. After them come pairs that the pair judge finds worth acting on. This"
            + " model is first asked about pairs of which the pair judge is unsure.";
  }

  /** Whether the verdicts are hardly better than chance. */
  public boolean isGuessing() {
    return right < LEAST_RIGHT * pairs || !(kappa >= LEAST_KAPPA);
  }
}
