package dev.helixbg.insight.judge;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How far a language model can be trusted as a judge, by what it said of pairs whose truth is
 * known.
 *
 * @param pairs it was asked about
 * @param right its verdict: one entry can go, the older one was overtaken, or neither
 * @param said how often it gave each verdict, and how often rightly
 * @param kappa how often it says the same in both orders of a pair, beyond what chance would give:
 *     Cohen's kappa, 1 for always, 0 for chance (and for a judge that has one answer to everything)
 */
public record JudgeTrust(int pairs, int right, Map<Verdict, Tally> said, double kappa) {
  /** Least share of all pairs that must be right; one verdict for all would be right for 43 %. */
  static final double LEAST_RIGHT = 0.6;

  /** Said of a judge that was not measured yet. */
  public static final String UNMEASURED =
      "This model was not measured as a judge yet. Until then the pair judge decides what leads.";

  /** Said wherever verdicts of a judge that guesses are shown. */
  public static final String GUESSING = "It is guessing: do not act on its verdicts.";

  /** Below, agreement is fair at best (Landis and Koch 1977). */
  private static final double LEAST_KAPPA = 0.4;

  /** How often a verdict was given, and how often it was right. */
  public record Tally(int said, int right) {
    /**
     * Counts a verdict on something whose truth is known.
     *
     * @return 1 where it is right, else 0
     */
    public static int count(Map<Verdict, Tally> tallies, Verdict verdict, JudgeTrial.Truth truth) {
      int right = JudgeTrial.Truth.of(verdict) == truth ? 1 : 0;
      tallies.merge(
          verdict,
          new Tally(1, right),
          (one, other) -> new Tally(one.said + other.said, one.right + other.right));
      return right;
    }

    /** Says of each verdict how often it was right, such as {@code : same 3 of 4 times, ...}. */
    static String words(Map<Verdict, Tally> tallies) {
      return Arrays.stream(Verdict.values())
          .map(
              verdict -> {
                Tally tally = tallies.getOrDefault(verdict, new Tally(0, 0));
                return verdict.title() + " %d of %d times".formatted(tally.right, tally.said);
              })
          .collect(Collectors.joining(", ", ": ", ""));
    }
  }

  /** Says it in a sentence or two, for people. */
  public String words() {
    StringBuilder words = new StringBuilder();
    words.append(
        "Of %d pairs whose truth is known, this model judged %d rightly".formatted(pairs, right));
    words
        .append(Tally.words(said))
        .append("; its answers in both orders agree beyond chance by ")
        .append(hundredths(kappa))
        .append(" (Cohen’s kappa, 1 is always).");
    if (isGuessing()) {
      words.append(' ').append(GUESSING).append(" helix-bg fetch-models list names larger ones.");
    }
    return words.toString();
  }

  /** With two digits behind the point. */
  static String hundredths(double value) {
    return BigDecimal.valueOf(Math.round(100 * value), 2).toPlainString();
  }

  /** Says what decides which relations lead the list, and why. */
  public String leads() {
    return isGuessing()
        ? "The pair judge decides what leads: this model was right too seldom, or at odds with"
            + " itself."
        : "Pairs that this model calls the same or overtaken lead, since it was right often enough;"
            + " then those that the pair judge finds worth an act. This model is asked first where"
            + " the pair judge is unsure.";
  }

  /** Whether the verdicts are worth little more than a coin. */
  public boolean isGuessing() {
    return right < LEAST_RIGHT * pairs || !(kappa >= LEAST_KAPPA);
  }
}
