package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import java.util.List;

/**
 * Near-duplicates or cross-links.
 *
 * @param total how many there are, shown or not
 * @param intro what they are and what to do with them
 * @param first shown at once
 * @param more folded away where a format can fold
 * @param moreWords on the fold
 * @param cutWords says that only the best are listed; may be empty
 * @param none said instead of a list when there are none
 */
record PairSection(
    String anchor,
    String title,
    String total,
    String intro,
    List<PairView> first,
    List<PairView> more,
    String moreWords,
    String cutWords,
    String none) {
  private static final int FIRST = 12;

  static PairSection of(
      String anchor,
      String title,
      String intro,
      String none,
      List<Finding.Pair> found,
      long total,
      long pairs) {
    List<PairView> views = found.stream().map(pair -> PairView.of(pair, pairs)).toList();
    int first = views.size() <= FIRST + 3 ? views.size() : FIRST;
    return new PairSection(
        anchor,
        title,
        Wording.count(total),
        intro,
        views.subList(0, first),
        views.subList(first, views.size()),
        Wording.count(views.size() - first, "more pair", "more pairs") + ", less similar",
        total > views.size()
            ? "The best " + Wording.count(views.size()) + " of " + Wording.count(total) + "."
            : "",
        none);
  }

  boolean isEmpty() {
    return first.isEmpty();
  }

  boolean hasMore() {
    return !more.isEmpty();
  }

  boolean hasCut() {
    return !cutWords.isEmpty();
  }
}
