package dev.helixbg.insight.review;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.review.Review.Item;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Entries that newer ones have overtaken: the pairs that the report calls so, then the first of
 * those that it leaves open, where the entries are at least a day apart.
 */
public final class StaleReview {
  /** Most pairs that are proposed though the report leaves them open. */
  private static final int OPEN = 20;

  private StaleReview() {}

  /**
   * @param topic whose entries are looked at; empty: all
   */
  public static Review of(ReviewSubject kb, Optional<String> topic, Instant at) {
    List<Item> items = new ArrayList<>();
    List<Item> open = new ArrayList<>();
    for (ReviewSubject.Pair pair : kb.pairs()) {
      if (topic.filter(name -> !pair.finding().topics().contains(name)).isPresent()) {
        continue;
      }
      Optional<Verdict> verdict = pair.finding().verdict();
      if (verdict.equals(Optional.of(Verdict.OVERTAKEN))) {
        String said = pair.finding().isContradiction() ? "contradicted" : "overtaken";
        String sure = kb.model().isEmpty() ? "is likely " : "is ";
        items.add(pair.item(pair.older(), sure + said + " by"));
      } else if (verdict.isEmpty() && open.size() < OPEN && mayBeOvertaken(pair)) {
        open.add(pair.item(pair.older(), "may be overtaken by"));
      }
    }
    String about = topic.map(name -> " in " + QuotedName.of(name)).orElse("");
    List<Item> all = Stream.concat(items.stream(), open.stream()).toList();
    List<Item> listed = all.subList(0, Math.min(Review.MAX_ITEMS, all.size()));
    long entries = all.stream().map(Item::a).collect(Collectors.toSet()).size();
    String summary =
        all.isEmpty()
            ? "No entry%s seems to be overtaken by a newer one.".formatted(about)
            : "%d %s%s may be stale: newer ones are about the same.%s"
                .formatted(
                    entries,
                    entries == 1 ? "entry" : "entries",
                    about,
                    listed.size() == all.size()
                        ? ""
                        : " The first %d of %d pairs are listed."
                            .formatted(listed.size(), all.size()));
    return kb.review(Review.Kind.STALE, topic, at, summary, listed, List.of());
  }

  private static boolean mayBeOvertaken(ReviewSubject.Pair pair) {
    int a = pair.a().entry().timestampMin();
    int b = pair.b().entry().timestampMin();
    return pair.finding().nearest() >= Finding.FAR
        && a != 0
        && b != 0
        && Math.abs((long) a - b) >= Entry.DAY;
  }
}
