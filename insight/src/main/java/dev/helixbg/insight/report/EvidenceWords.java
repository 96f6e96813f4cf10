package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Evidence;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.notes.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts evidence, verdicts and assessments into words, for reports, commands and MCP answers. */
public final class EvidenceWords {
  private static final double NEARLY_CERTAIN = 0.99;

  private EvidenceWords() {}

  /** Returns in words the probability that one entry of a pair can be removed. */
  public static String canGo(double probability) {
    return probability >= NEARLY_CERTAIN
        ? "nearly certain that one entry can go"
        : percent(probability) + " likely that one entry can go";
  }

  static String of(Finding.Relation pair) {
    List<String> shared = shared(pair);
    return nearness(pair) + (shared.isEmpty() ? "" : "; both say " + String.join(", ", shared));
  }

  /** Returns the evidence for a pair of entries, called A and B, except their shared words. */
  static String nearness(Finding.Relation pair) {
    Evidence evidence = pair.evidence();
    List<String> words = new ArrayList<>();
    if (evidence.mutualNearest()) {
      words.add("each is the other’s nearest entry");
    } else {
      if (evidence.rankOfB() > 0) {
        words.add("B is A’s " + nearest(evidence.rankOfB()));
      }
      if (evidence.rankOfA() > 0) {
        words.add("A is B’s " + nearest(evidence.rankOfA()));
      }
      if (words.isEmpty()) {
        words.add("similar only in their words");
      }
    }
    evidence
        .matching()
        .map(match -> NumberWords.similarity(match.similarity()))
        .ifPresent(cosine -> words.add("similarity of the matching passages: " + cosine));
    pair.assessment()
        .flatMap(Finding.Assessment::objection)
        .ifPresent(why -> words.add("not called the same: " + PrintableText.line(why)));
    evidence.newer().ifPresent(side -> words.add(side + " is newer"));
    return String.join(", ", words);
  }

  private static String nearest(int rank) {
    return switch (rank) {
      case 1 -> "nearest entry";
      case 2 -> "2nd nearest entry";
      case 3 -> "3rd nearest entry";
      default -> rank + "th nearest entry"; // rank is at most 10
    };
  }

  static List<String> shared(Finding.Relation pair) {
    return pair.evidence().sharedWords().stream().map(PrintableText::line).toList();
  }

  static String of(Finding.TopicOverlap topics) {
    return NumberWords.count(topics.entriesA(), "entry", "entries")
        + " and "
        + NumberWords.count(topics.entriesB(), "entry", "entries")
        + ", about the same things";
  }

  private static String percent(double share) {
    return NumberWords.fixed(100 * share, 0) + " %";
  }

  /** Returns a verdict such as {@code same 97 %}. */
  static String verdict(PairVerdict verdict) {
    return verdict.verdict().title()
        + " "
        + percent(verdict.probability())
        + (verdict.cut() ? ", judged by the beginnings of the texts only" : "");
  }

  /** Returns an assessment such as {@code A may be overtaken}; empty if there is none. */
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
      case SERIES ->
          Scope.apart(relation.a().entry(), relation.b().entry()).isPresent()
              ? "both are needed"
              : "same form, different subjects";
      case UNKNOWN -> "unknown";
      case RELATED, NONE -> {
        if (said.repeats()) {
          yield "one repeats the other";
        }
        if (said.mayBeWorthAnAct()) {
          boolean isObjected = said.objection().isPresent();
          yield said.same() < said.overtaken() || isObjected && said.overtaken() > 0
              ? older + " may be overtaken"
              : isObjected || said.act() >= NEARLY_CERTAIN
                  ? "the same, or overtaken"
                  : "may be the same";
        }
        yield said.tier() == Finding.Tier.RELATED ? "related" : "probably not worth acting on";
      }
    };
  }
}
