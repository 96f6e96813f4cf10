package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.review.Review;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What reviews said when they were last made, in words. */
record ReviewSection(String intro, List<ReviewView> reviews) {

  /**
   * One thing found.
   *
   * @param similarity where anything was compared
   * @param relation of b to a
   * @param b the other one, if any
   * @param verdict of the model, unless the relation says it already
   * @param text an excerpt
   * @param id by which it can be settled, if it has one
   */
  record ItemView(
      Optional<String> similarity,
      String a,
      String relation,
      Optional<String> b,
      Optional<String> verdict,
      Optional<String> text,
      Optional<String> id) {
    private static final int COLUMNS = 400;
    private static final int NAME_COLUMNS = 120;
    private static final int WORD_COLUMNS = 40;

    static ItemView of(Review.Item item) {
      boolean said = item.relation().contains(item.verdict());
      boolean compared = !item.b().isEmpty() && Double.isFinite(item.similarity());
      return new ItemView(
          excerpt(compared ? NumberWords.similarity(item.similarity()) : "", WORD_COLUMNS),
          PrintableText.excerpt(item.a(), NAME_COLUMNS),
          PrintableText.excerpt(item.relation(), WORD_COLUMNS),
          excerpt(item.b(), NAME_COLUMNS),
          excerpt(said ? "" : item.verdict(), WORD_COLUMNS),
          excerpt(item.text(), COLUMNS),
          excerpt(item.id(), WORD_COLUMNS));
    }

    /** Nothing when nothing is left of it. */
    private static Optional<String> excerpt(String text, int columns) {
      return Optional.of(PrintableText.excerpt(text, columns)).filter(kept -> !kept.isEmpty());
    }

    /** Whether somebody should look at both: they cannot both be true. */
    boolean isUrgent() {
      return relation.contains("contradict") || verdict.orElse("").contains("contradict");
    }
  }

  /**
   * A review.
   *
   * @param judge the model that judged, if one did
   * @param note what to bear in mind
   */
  record ReviewView(
      String when,
      Optional<String> judge,
      Optional<String> note,
      String summary,
      FoldableList<ItemView> items) {
    private static final int FIRST = 5;
    private static final int SUMMARY_COLUMNS = 1_500;
    private static final DateTimeFormatter WHEN =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    static ReviewView of(Review review, String logSha256) {
      return new ReviewView(
          WHEN.format(review.at()),
          review.judge().flatMap(name -> ItemView.excerpt(name, 80)),
          Optional.of("The log has changed since; entries are named as they were then.")
              .filter(note -> !review.logSha256().equals(logSha256)),
          PrintableText.excerpt(review.summary(), SUMMARY_COLUMNS),
          FoldableList.of(
              review.items().stream().map(ItemView::of).toList(),
              FIRST,
              2,
              more -> more + " more"));
    }
  }

  static ReviewSection of(List<Review> reviews, String logSha256) {
    return new ReviewSection(
        "What the last session of writing brought, as it was found at its time.",
        reviews.stream().map(review -> ReviewView.of(review, logSha256)).toList());
  }
}
