package dev.helixbg.insight.review;

import dev.helixbg.config.InsightSettings;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.review.ClosePairs.Close;
import dev.helixbg.insight.review.Review.Item;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Topics that overlap under different names: by their centres, with the closest two entries as
 * evidence, and whether a model finds that they are about the same.
 */
public final class DriftReview {
  private static final int MAX_ITEMS = 20;
  private static final String COMPARE =
      "You compare two topics of a software developer's knowledge base by one entry of each.\n"
          + "same: both topics are about the same subject\n"
          + "related: the subjects touch\n"
          + "different: nothing in common\n"
          + "Answer with one word.";
  private static final List<String> ANSWERS = List.of("same", "related", "different");

  private DriftReview() {}

  /**
   * @param last the last review of drift
   * @param oracle asked when there is one
   * @throws java.util.concurrent.CancellationException when cancelled while the model was asked
   */
  public static Review of(
      KbEntries kb,
      Optional<Review> last,
      InsightSettings settings,
      int threads,
      Optional<Oracle> oracle,
      Instant at,
      BooleanSupplier cancelled) {
    List<Finding.TopicOverlap> overlaps =
        Analysis.topicOverlaps(kb.entries(), kb.keys(), kb.vectors(), settings, threads).stream()
            .limit(MAX_ITEMS)
            .toList();
    Set<String> before =
        last.map(Review::items).orElse(List.of()).stream()
            .map(item -> item.a() + "\n" + item.b())
            .collect(Collectors.toSet());
    List<String> names = kb.names();
    List<Item> items = new ArrayList<>();
    for (Finding.TopicOverlap overlap : overlaps) {
      Close closest = closest(kb, overlap.a(), overlap.b());
      String verdict =
          oracle.map(model -> judge(model, kb, overlap, closest, cancelled)).orElse("");
      boolean isNew = !before.contains(overlap.a() + "\n" + overlap.b());
      items.add(
          new Item(
              isNew ? "now overlaps" : "overlaps",
              overlap.a(),
              overlap.b(),
              overlap.similarity(),
              verdict,
              "closest: " + names.get(closest.a()) + " and " + names.get(closest.b())));
    }
    long fresh = items.stream().filter(item -> item.relation().equals("now overlaps")).count();
    String summary =
        items.isEmpty()
            ? "No two topics overlap."
            : "%d %s under different names, %d of them newly."
                .formatted(
                    items.size(),
                    items.size() == 1 ? "pair of topics overlaps" : "pairs of topics overlap",
                    fresh);
    return new Review(
        Review.Kind.DRIFT,
        Optional.empty(),
        at,
        kb.log().sha256(),
        oracle.map(Oracle::name),
        summary + (oracle.isEmpty() && !items.isEmpty() ? Review.NOT_JUDGED : ""),
        List.copyOf(items),
        List.of());
  }

  private static Close closest(KbEntries kb, String a, String b) {
    int[] rows = of(kb, a);
    int[] columns = of(kb, b);
    try (PackedVectors first = PackedVectors.pack(kb.vectors().select(rows));
        PackedVectors second = PackedVectors.pack(kb.vectors().select(columns))) {
      Close best =
          AllPairs.between(
                  first,
                  second,
                  Float.NEGATIVE_INFINITY,
                  1,
                  () -> new ClosePairs(1, (row, column) -> true))
              .getFirst()
              .bestFirst()
              .getFirst();
      return new Close(rows[best.a()], columns[best.b()], best.similarity());
    }
  }

  private static int[] of(KbEntries kb, String topic) {
    return IntStream.range(0, kb.entries().size())
        .filter(i -> kb.entries().get(i).topic().equals(topic))
        .toArray();
  }

  private static String judge(
      Oracle model,
      KbEntries kb,
      Finding.TopicOverlap overlap,
      Close closest,
      BooleanSupplier cancelled) {
    String user =
        "Topic A: %s\n%s\nTopic B: %s\n%s"
            .formatted(overlap.a(), kb.text(closest.a()), overlap.b(), kb.text(closest.b()));
    return ANSWERS.get(model.choose(COMPARE, user, ANSWERS, cancelled));
  }
}
