package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.RankedPairs;
import java.util.List;
import java.util.Optional;

/**
 * Near-duplicates or cross-links.
 *
 * @param total how many there are, shown or not
 * @param intro what they are and what to do with them
 * @param different what the language model calls different; folded away where a format can fold
 * @param differentWords on that fold
 * @param cutWords says that only the best are listed; or nothing
 * @param none said instead of a list when there are none
 */
record PairSection(
    String anchor,
    String title,
    String total,
    String intro,
    Folded<PairView> pairs,
    List<PairView> different,
    String differentWords,
    Optional<String> cutWords,
    String none) {
  private static final int FIRST = 12;

  static PairSection of(
      String anchor,
      String title,
      String intro,
      String none,
      List<Finding.Pair> found,
      long total,
      long pairs,
      Judgements judgements) {
    RankedPairs ranked = RankedPairs.of(found, judgements.verdicts());
    boolean judged = found.stream().anyMatch(pair -> judgements.verdicts().containsKey(pair.id()));
    List<PairView> views = views(ranked.shown(), pairs, judgements);
    List<PairView> different = views(ranked.different(), pairs, judgements);
    return new PairSection(
        anchor,
        title,
        Wording.count(total),
        judged ? intro + " Ranked by similarity and the language model’s verdict together." : intro,
        Folded.of(
            views,
            FIRST,
            3,
            more ->
                Wording.count(more, "more pair", "more pairs")
                    + (judged ? ", ranked lower" : ", less similar")),
        different,
        Wording.count(different.size(), "pair", "pairs")
            + " that the language model calls different",
        Wording.shownOf("best", found.size(), total, "."),
        none);
  }

  private static List<PairView> views(List<Finding.Pair> pairs, long all, Judgements judgements) {
    return pairs.stream().map(pair -> PairView.of(pair, all, judgements)).toList();
  }

  boolean isEmpty() {
    return pairs.isEmpty() && different.isEmpty();
  }

  boolean hasDifferent() {
    return !different.isEmpty();
  }
}
