package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.report.LeadingSection.ActView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A pair of entries as the report shows it, side by side.
 *
 * @param group names of three or more entries that may say the same, including the two entries of
 *     the pair
 */
record PairView(
    String id,
    String verdict,
    boolean isAct,
    List<String> evidence,
    List<String> sharedWords,
    Optional<String> group,
    List<ActView> acts,
    EntryView a,
    EntryView b) {

  List<EntryView> sides() {
    return List.of(a, b);
  }

  static PairView of(Finding.Relation relation, Optional<String> group, Judgements judgements) {
    Finding.Evidence evidence = relation.evidence();
    return new PairView(
        PrintableText.line(relation.id()),
        heading(
            said(relation, judgements)
                .orElse(
                    relation.kind() == PairKind.NEAR_DUPLICATE
                        ? "in nearly the same words"
                        : "near each other")),
        isAct(relation, judgements),
        evidence(relation, judgements),
        EvidenceWords.shared(relation),
        group,
        ActView.of(Acts.on(relation.a(), relation.b(), judgements.actingOn(relation))),
        EntryView.of("A", relation.a(), relation.b(), evidence.matching().map(Finding.Matching::a)),
        EntryView.of(
            "B", relation.b(), relation.a(), evidence.matching().map(Finding.Matching::b)));
  }

  private static String heading(String words) {
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static List<String> evidence(Finding.Relation relation, Judgements judgements) {
    List<String> words = new ArrayList<>();
    if (judgements.agents().of(relation).isEmpty() && judgements.verdict(relation).isEmpty()) {
      relation
          .assessment()
          .filter(said -> said.isActLikely() || !said.repeats())
          .ifPresent(said -> words.add(EvidenceWords.canGo(said.act())));
    }
    words.add("similarity " + NumberWords.similarity(relation.similarity()));
    words.add(EvidenceWords.nearness(relation));
    return words;
  }

  /** Returns the opinion of an agent, else of the language model, else of a pair judge. */
  static Optional<String> said(Finding.Relation relation, Judgements judgements) {
    return judgements
        .agents()
        .of(relation)
        .map(said -> PrintableText.line(said.words()))
        .or(() -> judgements.verdict(relation).map(EvidenceWords::verdict))
        .or(() -> EvidenceWords.assessment(relation));
  }

  private static boolean isAct(Finding.Relation relation, Judgements judgements) {
    return judgements
        .agents()
        .of(relation)
        .flatMap(AgentSayings.Said::verdict)
        .or(() -> judgements.verdict(relation).map(PairVerdict::verdict))
        .map(Verdict::isAct)
        .or(() -> relation.assessment().map(Finding.Assessment::mayBeWorthAnAct))
        .orElse(false);
  }
}
