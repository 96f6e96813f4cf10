package dev.helixbg.insight.review;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.judge.CentralEntries;
import dev.helixbg.insight.judge.OverlapRun;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.review.Review.Item;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Topics that overlap under different names: by their centres, with the closest related entries as
 * evidence, and whether the judge finds that they are about the same.
 */
public final class DriftReview {
  private DriftReview() {}

  /**
   * @param last the last review of drift
   * @throws InterruptedException when interrupted; all answers until then are saved
   * @throws IOException when answers cannot be read or saved
   */
  public static Review of(ReviewSubject kb, Optional<Review> last, Instant at)
      throws InterruptedException, IOException {
    List<Finding.TopicOverlap> all = kb.found().topicOverlaps();
    List<Finding.TopicOverlap> overlaps = all.stream().limit(Review.MAX_ITEMS).toList();
    Map<String, Verdict> verdicts = verdicts(kb, overlaps);
    Set<String> before =
        last.map(Review::items).orElse(List.of()).stream()
            .map(Item::id)
            .collect(Collectors.toSet());
    List<Item> items = new ArrayList<>();
    for (Finding.TopicOverlap overlap : overlaps) {
      Optional<Verdict> verdict = Optional.ofNullable(verdicts.get(overlap.id()));
      boolean isNew = !before.contains(overlap.id());
      items.add(
          new Item(
              overlap.id(),
              isNew ? "now overlaps" : "overlaps",
              overlap.a(),
              overlap.b(),
              overlap.similarity(),
              verdict.map(Verdict::title).orElse(""),
              closest(kb, overlap)));
    }
    long fresh = items.stream().filter(item -> item.relation().equals("now overlaps")).count();
    String summary =
        items.isEmpty()
            ? "No two topics overlap."
            : "%d %s under different names, %d of them newly.%s"
                .formatted(
                    all.size(),
                    all.size() == 1 ? "pair of topics overlaps" : "pairs of topics overlap",
                    fresh,
                    all.size() == items.size()
                        ? ""
                        : " The closest %d are listed.".formatted(items.size()));
    return kb.review(
        Review.Kind.DRIFT,
        Optional.empty(),
        at,
        summary + (items.isEmpty() ? "" : kb.caveat()),
        items,
        List.of());
  }

  private static Map<String, Verdict> verdicts(
      ReviewSubject kb, List<Finding.TopicOverlap> overlaps)
      throws InterruptedException, IOException {
    if (kb.judge().isEmpty()) {
      return Map.of();
    }
    CentralEntries middles = new CentralEntries(kb.found().entries(), kb.vectors());
    OverlapRun run = new OverlapRun(kb.judge().get().asking(), overlaps, middles);
    run.ask();
    return run.verdicts();
  }

  /** Of the listed relations; nothing where both topics have none. */
  private static String closest(ReviewSubject kb, Finding.TopicOverlap overlap) {
    Set<String> both = Set.of(overlap.a(), overlap.b());
    return kb.found().relations().stream()
        .filter(
            pair ->
                both.equals(
                    Set.copyOf(List.of(pair.a().entry().topic(), pair.b().entry().topic()))))
        .max(Comparator.comparingDouble(Finding.Relation::similarity))
        .map(
            pair ->
                "closest: "
                    + QuotedName.of(pair.a().name())
                    + " and "
                    + QuotedName.of(pair.b().name()))
        .orElse("");
  }
}
