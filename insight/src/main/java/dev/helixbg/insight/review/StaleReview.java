package dev.helixbg.insight.review;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.Review.Item;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Entries that newer ones have overtaken: the relations of which the judge says so, and of those
 * that it was not asked about the first whose entries are at least a day apart.
 */
public final class StaleReview {
  /** Pairs that a review asks about, and that it proposes where nobody judged. */
  private static final int UNJUDGED = 20;

  private StaleReview() {}

  /**
   * @param topic whose entries are looked at; empty: all
   * @throws InterruptedException when interrupted; all answers until then are saved
   * @throws IOException when answers cannot be read or saved
   */
  public static Review of(ReviewSubject kb, Optional<String> topic, Instant at)
      throws InterruptedException, IOException {
    List<Finding.Relation> pairs =
        kb.found().relations().stream().filter(pair -> pair.isIn(topic)).toList();
    Map<String, PairVerdict> verdicts = kb.verdicts(pairs, UNJUDGED);
    List<Item> items = new ArrayList<>();
    List<Item> unjudged = new ArrayList<>();
    for (Finding.Relation pair : pairs) {
      NamedEntry older = pair.older();
      PairVerdict verdict = verdicts.get(pair.id());
      if (verdict == null && unjudged.size() < UNJUDGED && !pair.isFar() && areDaysApart(pair)) {
        unjudged.add(kb.item(pair, older, "may be overtaken by", ""));
      } else if (verdict != null && verdict.verdict() == Verdict.OVERTAKEN) {
        String said = verdict.contradiction() ? "contradicted" : "overtaken";
        items.add(kb.item(pair, older, "is " + said + " by", said));
      }
    }
    items.addAll(unjudged);
    String about = topic.map(name -> " in " + QuotedName.of(name)).orElse("");
    String summary =
        items.isEmpty()
            ? "No entry%s seems to be overtaken by a newer one.".formatted(about)
            : "%d %s%s may be stale: newer ones are about the same."
                .formatted(items.size(), items.size() == 1 ? "entry" : "entries", about);
    return kb.review(
        Review.Kind.STALE,
        topic,
        at,
        summary + (items.isEmpty() ? "" : kb.caveat()),
        items.stream().limit(Review.MAX_ITEMS).toList(),
        List.of());
  }

  private static boolean areDaysApart(Finding.Relation pair) {
    int a = pair.a().entry().timestampMin();
    int b = pair.b().entry().timestampMin();
    return a != 0 && b != 0 && Math.abs((long) a - b) >= Entry.DAY;
  }
}
