package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Words for the judgements of the language model and the pair judge: labels, verdicts, assessments.
 */
final class JudgementWords {
  private JudgementWords() {}

  /** Such as {@code 97 %}. */
  static String percent(double share) {
    return NumberWords.fixed(100 * share, 0) + " %";
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
              said.same() < said.overtaken() || said.objection().isPresent()
                  ? older + " may be overtaken"
                  : said.act() < EvidenceWords.NEARLY_CERTAIN
                      ? "may be the same"
                      : "the same, or overtaken");
        }
        yield said.tier() == Finding.Tier.RELATED ? Optional.of("related") : Optional.empty();
      }
    };
  }

  /** The verdict that says about the same as the pair judge. */
  static Optional<Verdict> nearest(Finding.Relation relation) {
    return relation
        .assessment()
        .map(
            said ->
                said.mayBeWorthAnAct()
                    ? said.same() >= said.overtaken() ? Verdict.SAME : Verdict.OVERTAKEN
                    : said.tier() == Finding.Tier.NONE ? Verdict.DIFFERENT : Verdict.RELATED);
  }

  /** Who judged, what is still to come, and what a language model would add. */
  static String note(Judgements judgements) {
    String agents =
        judgements.agents().clients().stream()
            .map(trust -> " " + PrintableText.line(trust.words()))
            .collect(Collectors.joining());
    return ofModel(judgements) + agents;
  }

  private static String ofModel(Judgements judgements) {
    if (judgements.model().isEmpty()) {
      return "No language model was used. One would say of each pair whether both entries state the"
          + " same, are related or have nothing in common, put each topic into a sentence,"
          + " name lessons that recur, and label entries by reading them. helix-bg"
          + " fetch-models gets one that fits: Qwen3-0.6B, about half a gigabyte. It runs on"
          + " this machine, like everything here. A coding agent that is connected over MCP does"
          + " so, too, by the prompt study.";
    }
    StringBuilder note =
        new StringBuilder("Labels, verdicts and summaries are by a language model.");
    if (!judgements.left().isEmpty()) {
      List<String> left = new ArrayList<>();
      for (QuestionKind job : QuestionKind.values()) {
        int count = judgements.left().getOrDefault(job, 0);
        if (count > 0) {
          left.add(left(job, count));
        }
      }
      note.append(" Not everything was asked yet: ")
          .append(String.join(", ", left))
          .append(" are left for the next run.");
    }
    judgements
        .trust()
        .ifPresentOrElse(
            trust -> note.append(' ').append(trust.words()).append(' ').append(trust.leads()),
            () -> note.append(' ').append(JudgeTrust.UNMEASURED));
    return note.toString();
  }

  private static String left(QuestionKind job, int count) {
    return switch (job) {
      case LABEL -> NumberWords.count(count, "label", "labels");
      case PAIR, OVERTAKEN -> NumberWords.count(count, "verdict", "verdicts");
      case SUMMARY -> NumberWords.count(count, "summary", "summaries");
      case LESSON -> NumberWords.count(count, "lesson", "lessons");
      case RULE -> NumberWords.count(count, "pair of lessons", "pairs of lessons");
      case MERGE -> NumberWords.count(count, "proposed text", "proposed texts");
    };
  }
}
