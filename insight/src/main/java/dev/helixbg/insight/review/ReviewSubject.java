package dev.helixbg.insight.review;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.NamedEntry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a review looks at: the open findings of the last report, seen against the log of this
 * moment. A review compares nothing itself.
 *
 * @param findings those whose entries are there
 * @param limits the settings of similarity
 * @param model the language model that judged for the report; empty: none did
 * @param guesses whether that model was measured, and does no better than chance
 */
public record ReviewSubject(
    PresentEntries entries,
    List<ReportedFinding> findings,
    InsightSettings limits,
    Optional<String> model,
    boolean guesses) {
  private static final int EXCERPT = 160;

  /** A pair of the list of relations with its two entries, the one with the lower offset first. */
  record Pair(ReportedFinding finding, NamedEntry a, NamedEntry b) {
    /** The pair as an item that begins with the entry of the higher offset. */
    Review.Item item(String relation) {
      return new Review.Item(
          finding.id(),
          relation,
          Review.Named.of(b),
          Review.Named.of(a),
          finding.similarity(),
          finding.verdict().map(verdict -> verdict.title()).orElse(""),
          excerpt(b));
    }
  }

  /** The pairs of the list of relations, in its order. */
  List<Pair> pairs() {
    return in("relations").stream()
        .flatMap(
            finding ->
                entries
                    .of(finding.keys())
                    .map(both -> new Pair(finding, both.get(0), both.get(1)))
                    .stream())
        .toList();
  }

  /** The findings of one section of the report. */
  List<ReportedFinding> in(String section) {
    return findings.stream().filter(finding -> finding.section().equals(section)).toList();
  }

  Review review(Instant at, String summary, List<Review.Item> items, List<String> marks) {
    return new Review(
        at,
        entries.log().sha256(),
        model,
        summary + (items.isEmpty() ? "" : caveat()),
        List.copyOf(items),
        List.copyOf(marks));
  }

  private String caveat() {
    if (model.isEmpty()) {
      return Review.NOT_JUDGED;
    }
    return guesses ? Review.GUESSED : "";
  }

  static String excerpt(NamedEntry entry) {
    String text = entry.entry().text().content().strip();
    int end = text.offsetByCodePoints(0, Math.min(EXCERPT, text.codePointCount(0, text.length())));
    return end < text.length() ? text.substring(0, end) + "…" : text;
  }
}
