package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.notes.NoteName;
import java.util.Optional;

/** What the language model and the pair judge say, in words: labels, verdicts, assessments. */
final class JudgementWords {
  /**
   * How right a list is that it leads: planted pairs and others that somebody had found good, among
   * the first twenty of each of twelve knowledge bases of public notes. From {@code
   * insight/src/judge/README.md}, one order; the judge was not trained on these notes.
   */
  static final String RIGHT =
      "On test knowledge bases with many repetitions put in, 19 or 20 of the first 20 were worth"
          + " an act; expect fewer in a real one (docs/findings.md has figures).";

  private JudgementWords() {}

  /** Such as {@code 97 %}. */
  static String percent(double share) {
    return NumberWords.fixed(100 * share, 0) + " %";
  }

  /** Such as {@code gotcha 87 %}, or {@code gotcha?} where no language model says so. */
  static String guess(LabelGuess guess) {
    return switch (guess.origin()) {
      case MODEL -> guess.label().title() + " " + percent(guess.score());
      case AGENT -> guess.label().title();
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
      case AGENT -> "by a coding agent";
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

  /** Such as {@code likely the same}, or {@code A may be overtaken}; nothing where it says so. */
  static Optional<String> assessment(Finding.Relation relation) {
    return relation.assessment().flatMap(said -> assessment(relation, said));
  }

  private static Optional<String> assessment(Finding.Relation relation, Assessment said) {
    if (said.mayBeWorthAnAct() && JudgedRelations.contradict(relation)) {
      return Optional.of(
          NoteName.areInOneFile(relation.a().entry(), relation.b().entry())
              ? "one contradicts the other"
              : "contradicts an instruction in another file");
    }
    String older =
        !relation.a().isAgeKnown(relation.b())
            ? "one of both"
            : relation.older() == relation.a() ? "A" : "B";
    return switch (said.tier()) {
      case LIKELY_SAME -> Optional.of("likely the same");
      case LIKELY_OVERTAKEN -> Optional.of(older + " is likely overtaken");
      case SERIES -> Optional.of("of one form");
      case UNKNOWN -> Optional.of("unknown");
      case RELATED, NONE -> {
        if (said.repeats()) {
          yield Optional.of("one repeats the other");
        }
        if (said.mayBeWorthAnAct()) {
          yield Optional.of(
              said.same() >= said.overtaken() && said.objection().isEmpty()
                  ? "may be the same"
                  : older + " may be overtaken");
        }
        yield said.tier() == Finding.Tier.RELATED ? Optional.of("related") : Optional.empty();
      }
    };
  }

  /** The same as a verdict is called, for its colour. */
  static Optional<String> kind(Finding.Relation relation) {
    return relation
        .assessment()
        .map(
            said ->
                said.mayBeWorthAnAct()
                    ? said.same() >= said.overtaken() ? "same" : "overtaken"
                    : said.tier() == Finding.Tier.NONE ? "different" : "related");
  }
}
