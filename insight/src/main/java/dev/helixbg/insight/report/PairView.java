package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.acts.Acts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Two entries side by side.
 *
 * @param verdict relation of the two entries, as text
 * @param isAct whether the verdict calls for an act
 * @param group names of three or more entries that may say the same, including the two entries of
 *     the pair
 * @param files see {@link Finding.Relation#files}
 * @param fold label of the fold that begins with this pair
 * @param foldEnds whether a fold ends with this pair
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
    EntryView b,
    Optional<Set<String>> files,
    Optional<String> fold,
    boolean foldEnds) {

  /** Puts pairs from the same two files into a fold behind the first of these pairs. */
  static List<PairView> byFiles(List<PairView> pairs) {
    Map<Object, List<PairView>> grouped = new LinkedHashMap<>();
    for (PairView pair : pairs) {
      Object of = pair.files.isPresent() ? pair.files.get() : pair.id;
      grouped.computeIfAbsent(of, _ -> new ArrayList<>()).add(pair);
    }
    for (List<PairView> of : grouped.values()) {
      int others = of.size() - 1;
      for (int i = 1; i <= others; i++) {
        String words =
            NumberWords.count(others, "more pair", "more pairs")
                + " of sections of the same two files";
        of.set(i, of.get(i).folded(i == 1 ? Optional.of(words) : Optional.empty(), i == others));
      }
    }
    return grouped.values().stream().flatMap(List::stream).toList();
  }

  List<EntryView> sides() {
    return List.of(a, b);
  }

  private PairView folded(Optional<String> words, boolean isLast) {
    return new PairView(
        id, verdict, isAct, evidence, sharedWords, group, acts, a, b, files, words, isLast);
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
        EntryView.of("B", relation.b(), relation.a(), evidence.matching().map(Finding.Matching::b)),
        relation.files(),
        Optional.empty(),
        false);
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
