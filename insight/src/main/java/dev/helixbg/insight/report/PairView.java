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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Two entries side by side.
 *
 * @param rank where the pair stands in the list and what it is called, in words
 * @param nearness how near the two are as neighbours, in words
 * @param sharedWords rare ones that both have, where those count
 * @param verdict what an agent says of it, in words, else the language model, else the pair judge
 * @param verdictKind same, overtaken, related or different
 * @param group that they are of several entries that say the same; or nothing
 * @param acts what can be done about it
 * @param files the two files of notes that both are of
 * @param fold the words on a fold that begins with it: of pairs of sections of the same two files
 * @param foldEnds whether the fold ends with it
 */
record PairView(
    String id,
    String similarity,
    String rank,
    String nearness,
    List<String> sharedWords,
    Optional<String> verdict,
    Optional<String> verdictKind,
    Optional<String> group,
    List<ActView> acts,
    EntryView a,
    EntryView b,
    Optional<Set<String>> files,
    Optional<String> fold,
    boolean foldEnds) {

  /**
   * The same pairs in their order, those of sections of the same two files together: a format can
   * fold all but the first of them, since somebody reads two files once.
   */
  static List<List<PairView>> byFiles(Collection<PairView> pairs) {
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
    return List.copyOf(grouped.values());
  }

  /** Both, as one list. */
  List<EntryView> sides() {
    return List.of(a, b);
  }

  private PairView folded(Optional<String> words, boolean isLast) {
    return new PairView(
        id,
        similarity,
        rank,
        nearness,
        sharedWords,
        verdict,
        verdictKind,
        group,
        acts,
        a,
        b,
        files,
        words,
        isLast);
  }

  /**
   * @param rank in the list of relations, from 1
   * @param kind what the pair is called
   * @param group of which both are, in words; or nothing
   */
  static PairView of(
      Finding.Relation relation,
      int rank,
      PairKind kind,
      Optional<String> group,
      Judgements judgements) {
    Optional<AgentSayings.Said> agents = judgements.agents().of(relation);
    Optional<PairVerdict> verdict = judgements.verdict(relation);
    Finding.Evidence evidence = relation.evidence();
    return new PairView(
        PrintableText.line(relation.id()),
        NumberWords.similarity(relation.similarity()),
        NumberWords.ordinal(rank)
            + " of the list"
            + (kind == PairKind.RELATION ? "" : ", " + kind.title()),
        EvidenceWords.nearness(relation),
        EvidenceWords.shared(relation),
        agents
            .map(said -> PrintableText.line(said.words()))
            .or(() -> verdict.map(JudgementWords::verdict))
            .or(() -> JudgementWords.assessment(relation)),
        agents
            .flatMap(AgentSayings.Said::verdict)
            .or(() -> verdict.map(PairVerdict::verdict))
            .map(Verdict::title)
            .or(() -> JudgementWords.kind(relation)),
        group,
        ActView.of(Acts.on(relation, judgements.actingOn(relation))),
        EntryView.of(
            "A",
            relation.a(),
            relation.b(),
            evidence.matching().map(Finding.Matching::a),
            judgements),
        EntryView.of(
            "B",
            relation.b(),
            relation.a(),
            evidence.matching().map(Finding.Matching::b),
            judgements),
        relation.files(),
        Optional.empty(),
        false);
  }
}
