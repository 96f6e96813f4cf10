package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.notes.NoteName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Words for the labels, verdicts and assessments of the language model and the pair judges. */
final class JudgementWords {
  private JudgementWords() {}

  static String percent(double share) {
    return NumberWords.fixed(100 * share, 0) + " %";
  }

  /** Returns a verdict such as {@code same 97 %}. */
  static String verdict(PairVerdict verdict) {
    return verdict.verdict().title()
        + " "
        + percent(verdict.probability())
        + (verdict.cut() ? ", judged by the beginnings of the texts only" : "");
  }

  /** Returns an assessment such as {@code A may be overtaken}; empty without one. */
  static Optional<String> assessment(Finding.Relation relation) {
    return relation.assessment().map(said -> assessment(relation, said));
  }

  private static String assessment(Finding.Relation relation, Assessment said) {
    if (said.mayBeWorthAnAct() && JudgedRelations.contradict(relation)) {
      return NoteName.areInOneFile(relation.a().entry(), relation.b().entry())
          ? "one contradicts the other"
          : "contradicts an instruction in another file";
    }
    String older =
        !relation.a().isAgeKnown(relation.b())
            ? "one of the two"
            : relation.older() == relation.a() ? "A" : "B";
    return switch (said.tier()) {
      case LIKELY_SAME -> "likely the same";
      case LIKELY_OVERTAKEN -> older + " is likely overtaken";
      case SERIES -> "same form, different subjects";
      case UNKNOWN -> "unknown";
      case RELATED, NONE -> {
        if (said.repeats()) {
          yield "one repeats the other";
        }
        if (said.mayBeWorthAnAct()) {
          yield said.same() < said.overtaken() || said.objection().isPresent()
              ? older + " may be overtaken"
              : said.act() < EvidenceWords.NEARLY_CERTAIN
                  ? "may be the same"
                  : "the same, or overtaken";
        }
        yield said.tier() == Finding.Tier.RELATED ? "related" : "probably not worth acting on";
      }
    };
  }

  /** Returns sentences about the judges, the open questions, and the use of a language model. */
  static String note(Judgements judgements) {
    String agents =
        judgements.agents().clients().stream()
            .map(trust -> " " + PrintableText.line(trust.words()))
            .collect(Collectors.joining());
    return ofModel(judgements) + agents;
  }

  private static String ofModel(Judgements judgements) {
    if (judgements.model().isEmpty()) {
      return "No language model was used. A language model would judge whether the entries of each"
          + " pair state the same, are related or have nothing in common. It would also sum"
          + " up each topic in a sentence, name recurring lessons, and label entries by"
          + " reading them. The command 'helix-bg fetch-models' downloads a suitable model:"
          + " Qwen3-0.6B, about half a gigabyte. The model runs on this machine, like"
          + " everything here. A coding agent that is connected over MCP does the same with"
          + " the prompt 'study'.";
    }
    int left = judgements.questionsLeft();
    List<String> sentences = new ArrayList<>();
    sentences.add("A language model wrote the labels, verdicts and summaries.");
    if (left > 0) {
      sentences.add(
          NumberWords.count(left, "question is", "questions are") + " left for the next run.");
    }
    sentences.add(
        judgements
            .trust()
            .map(trust -> trust.words() + " " + trust.leads())
            .orElse(JudgeTrust.UNMEASURED));
    return String.join(" ", sentences);
  }
}
