package dev.helixbg.insight.review;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.review.Review.Item;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Topics that overlap under different names, each with the closest pair of their entries and what
 * the language model says of them.
 */
public final class DriftReview {
  private DriftReview() {}

  public static Review of(ReviewSubject kb, Instant at) {
    List<ReportedFinding> overlaps = kb.in("topicOverlaps");
    List<ReviewSubject.Pair> pairs = kb.pairs();
    List<Item> items = new ArrayList<>();
    for (ReportedFinding overlap :
        overlaps.subList(0, Math.min(Review.MAX_ITEMS, overlaps.size()))) {
      List<String> topics = List.copyOf(overlap.topics());
      items.add(
          new Item(
              overlap.id(),
              "overlaps",
              topics.get(0),
              topics.get(1),
              overlap.similarity(),
              overlap.verdict().map(Verdict::title).orElse(""),
              closest(pairs, overlap.topics())));
    }
    String summary =
        items.isEmpty()
            ? "No two topics overlap."
            : "%d %s under different names.%s"
                .formatted(
                    overlaps.size(),
                    overlaps.size() == 1 ? "pair of topics overlaps" : "pairs of topics overlap",
                    overlaps.size() == items.size()
                        ? ""
                        : " The closest %d are listed.".formatted(items.size()));
    return kb.review(Review.Kind.DRIFT, Optional.empty(), at, summary, items, List.of());
  }

  private static String closest(List<ReviewSubject.Pair> pairs, Set<String> topics) {
    return pairs.stream()
        .filter(pair -> pair.finding().topics().equals(topics))
        .max(Comparator.comparingDouble(pair -> pair.finding().similarity()))
        .map(
            pair ->
                "closest: "
                    + QuotedName.of(pair.a().name())
                    + " and "
                    + QuotedName.of(pair.b().name()))
        .orElse("");
  }
}
