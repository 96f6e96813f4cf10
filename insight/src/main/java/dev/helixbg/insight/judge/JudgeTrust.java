package dev.helixbg.insight.judge;

import java.util.Map;

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
  /** Of all pairs, so many must be right; one verdict for all would be right for 43 %. */
  static final double LEAST_RIGHT = 0.6;

  /** Below, agreement is fair at best (Landis and Koch 1977). */
  static final double LEAST_KAPPA = 0.4;

  /** How often a verdict was given, and how often it was right. */
  public record Tally(int said, int right) {}

  /** Whether the verdicts are worth little more than a coin. */
  public boolean isGuessing() {
    return right < LEAST_RIGHT * pairs || !(kappa >= LEAST_KAPPA);
  }
}
