package dev.helixbg.insight.pairs;

import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.notes.Scope;

/**
 * The log odds that one of two facts of memory files can be removed: a logistic regression, fitted
 * to pairs that readers judged, and to repetitions that were written for the fit ({@code
 * insight/src/judge/README.md}). For the fit, each pair was judged by a judge of facts that was not
 * trained on this pair.
 */
final class FactOdds {
  private static final double CONSTANT = -2.08;

  /** Weight of the log odds that the judge of facts gives. */
  private static final double JUDGED = 0.51;

  /** Weight of the pair's score from vectors and words. */
  private static final double SCORE = 3.7;

  /** Addend if the two facts are in different files. */
  private static final double TWO_FILES = 1.48;

  /**
   * Addend if the facts are for different projects, folders or files. Such facts often share words
   * although both are needed.
   */
  private static final double ELSEWHERE = -2.27;

  private FactOdds() {}

  /**
   * Returns the log odds that one fact can be deleted; {@code judged} is the judge's estimate of
   * them.
   */
  static double of(Relation pair, double judged) {
    String a = pair.a().entry().note().orElse("");
    String b = pair.b().entry().note().orElse("");
    return CONSTANT
        + JUDGED * judged
        + SCORE * pair.score()
        + (a.equals(b) ? 0 : TWO_FILES)
        + (Scope.of(pair.a().entry()).elsewhere(Scope.of(pair.b().entry()), false).isPresent()
            ? ELSEWHERE
            : 0);
  }
}
