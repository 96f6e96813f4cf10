package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import java.util.Optional;

/** What the pair judge says of a relation, in words. */
final class AssessmentWords {
  /**
   * How right a list is that it leads: planted pairs and others that somebody had found good, among
   * the first twenty of each of twelve knowledge bases of public notes. From {@code
   * insight/src/judge/README.md}, one order; the judge was not trained on these notes.
   */
  static final String RIGHT =
      "On test knowledge bases with many repetitions put in, 16 to 20 of the first 20 were worth"
          + " an act; expect fewer in a real one (docs/findings.md has figures).";

  private AssessmentWords() {}

  /** Such as {@code likely the same}, or {@code A may be overtaken}; nothing where it says so. */
  static Optional<String> words(Finding.Relation relation) {
    return relation.assessment().flatMap(said -> words(relation, said));
  }

  private static Optional<String> words(Finding.Relation relation, Assessment said) {
    String older =
        !relation.a().isAgeKnown(relation.b())
            ? "one of both"
            : relation.older() == relation.a() ? "A" : "B";
    return switch (said.tier()) {
      case LIKELY_SAME -> Optional.of("likely the same");
      case LIKELY_OVERTAKEN -> Optional.of(older + " is likely overtaken");
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

  /** As {@link JudgementWords} calls a verdict, for its colour. */
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
