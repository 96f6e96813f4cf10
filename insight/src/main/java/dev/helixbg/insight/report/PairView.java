package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import java.util.Optional;

/**
 * Two entries side by side.
 *
 * @param rank where the pair stands among all pairs, in words
 * @param nearness how near the two are as neighbours, in words
 * @param verdict what the language model says of it, in words, if it was asked
 * @param verdictKind same, related or different
 */
record PairView(
    String id,
    String similarity,
    String rank,
    String nearness,
    Optional<String> verdict,
    Optional<String> verdictKind,
    EntryView a,
    EntryView b) {

  static PairView of(Finding.Pair pair, long pairs, Judgements judgements) {
    Optional<PairVerdict> verdict = Optional.ofNullable(judgements.verdicts().get(pair.id()));
    return new PairView(
        PrintableText.line(pair.id()),
        Wording.similarity(pair.similarity()),
        rank(pair.rank(), pairs),
        nearness(pair.rankOfB(), pair.rankOfA()),
        verdict.map(Judged::verdict),
        verdict.map(said -> said.verdict().title()),
        EntryView.of(Optional.of("A"), pair.a(), judgements),
        EntryView.of(Optional.of("B"), pair.b(), judgements));
  }

  private static String rank(long rank, long pairs) {
    if (pairs == 1) {
      return "the only pair";
    }
    String closest = rank == 1 ? "closest pair of " : Wording.ordinal(rank) + " closest pair of ";
    return closest + Wording.count(pairs);
  }

  private static String nearness(int rankOfB, int rankOfA) {
    return rankOfA == 1 && rankOfB == 1
        ? "each is the other’s nearest"
        : "B is A’s " + nearest(rankOfB) + ", A is B’s " + nearest(rankOfA);
  }

  private static String nearest(int rank) {
    return rank == 1 ? "nearest" : Wording.ordinal(rank) + " nearest";
  }
}
