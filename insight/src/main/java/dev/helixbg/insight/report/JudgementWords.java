package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.Optional;

/** Labels and verdicts in words. */
final class JudgementWords {
  private JudgementWords() {}

  /** Such as {@code 97 %}. */
  static String percent(double share) {
    return NumberWords.fixed(100 * share, 0) + " %";
  }

  /** Such as {@code gotcha 87 %}, or {@code gotcha?} where no language model says so. */
  static String guess(LabelGuess guess) {
    return switch (guess.origin()) {
      case MODEL -> guess.label().title() + " " + percent(guess.score());
      case CLASSIFIER -> guess.label().title() + "?";
    };
  }

  /** The guess for an entry whose tags say nothing. */
  static Optional<String> guess(NamedEntry named, Judgements judgements) {
    LabelGuess guess = judgements.guesses().get(named.key());
    boolean tagged = !Label.among(named.entry().text().tags()).isEmpty();
    return guess == null || !guess.sure() || tagged ? Optional.empty() : Optional.of(guess(guess));
  }

  /** Where a guess comes from and what it was nearly; empty without a guess. */
  static String explained(NamedEntry named, Judgements judgements) {
    LabelGuess guess = judgements.guesses().get(named.key());
    if (guess == null) {
      return "";
    }
    return switch (guess.origin()) {
      case MODEL ->
          "by the language model; runner-up: "
              + guess.runnerUp().title()
              + " "
              + percent(guess.runnerUpScore())
              + (guess.cut() ? "; it read the beginning only" : "");
      case CLASSIFIER -> "by wording and vector; runner-up: " + guess.runnerUp().title();
    };
  }

  /** Such as {@code same 97 %}. */
  static String verdict(PairVerdict verdict) {
    return verdict.verdict().title()
        + " "
        + percent(verdict.probability())
        + (verdict.cut() ? ", by the beginning" : "");
  }
}
