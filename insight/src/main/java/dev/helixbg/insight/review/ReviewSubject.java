package dev.helixbg.insight.review;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.embed.store.JsonLines;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.VerdictRun;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * What a review looks at, and whom it asks: the findings of a KB as they are now, and the judge of
 * its report. So what either has asked, the other one knows.
 *
 * @param vectors of the entries, in their order; of a report there are none, and no judge
 * @param logSha256 of the log they were found in
 * @param judge the language model; empty: the vectors alone
 */
public record ReviewSubject(
    Found found, IntFunction<float[]> vectors, String logSha256, Optional<Judge> judge) {

  /**
   * Of all findings those that reviews tell of, without what was settled. Similarities are rounded
   * as a report has them: so it does not matter whether they were read out of one.
   *
   * @param entries all live ones, by offset
   * @param limits the settings that were in force
   */
  public record Found(
      List<NamedEntry> entries,
      List<Finding.Copies> copies,
      List<Finding.TopicOverlap> topicOverlaps,
      List<Finding.Relation> relations,
      InsightSettings limits) {
    public Found {
      topicOverlaps = topicOverlaps.stream().map(Found::rounded).toList();
      relations = relations.stream().map(Found::rounded).toList();
    }

    public static Found of(Findings all) {
      return new Found(
          all.entries(), all.copies(), all.topicOverlaps(), all.relations(), all.limits());
    }

    /** Nothing, in a KB of which nothing need be known. */
    public static Found nothing(InsightSettings limits) {
      return new Found(List.of(), List.of(), List.of(), List.of(), limits);
    }

    private static Finding.TopicOverlap rounded(Finding.TopicOverlap of) {
      return new Finding.TopicOverlap(
          of.id(),
          of.a(),
          of.b(),
          JsonLines.sixDecimals(of.similarity()),
          of.entriesA(),
          of.entriesB());
    }

    private static Finding.Relation rounded(Finding.Relation of) {
      Finding.Evidence evidence = of.evidence();
      return new Finding.Relation(
          of.id(),
          of.a(),
          of.b(),
          of.score(),
          JsonLines.sixDecimals(of.similarity()),
          new Finding.Evidence(
              evidence.rankOfB(),
              evidence.rankOfA(),
              evidence.sharedWords(),
              evidence.newer(),
              evidence.matching().map(Found::rounded)),
          of.place(),
          of.assessment());
    }

    private static Finding.Matching rounded(Finding.Matching of) {
      return new Finding.Matching(
          of.a(), of.b(), JsonLines.sixDecimals(of.similarity()), of.readFromA(), of.readFromB());
    }
  }

  /**
   * A language model.
   *
   * @param name what it is called
   * @param guesses whether it was measured, and is guessing
   */
  public record Judge(String name, QuestionSession asking, boolean guesses) {}

  /** The same before a judge. */
  public ReviewSubject before(Judge other) {
    return new ReviewSubject(found, vectors, logSha256, Optional.of(other));
  }

  /** The keys of the entries. */
  public List<String> keys() {
    return found.entries().stream().map(NamedEntry::key).toList();
  }

  /** A review of it. */
  Review review(
      Review.Kind kind,
      Optional<String> topic,
      Instant at,
      String summary,
      List<Review.Item> items,
      List<String> marks) {
    return new Review(
        kind,
        topic,
        at,
        logSha256,
        judge.map(Judge::name),
        summary,
        List.copyOf(items),
        List.copyOf(marks));
  }

  /**
   * What the judge remembers of pairs, and what it says now of the first that it does not remember.
   *
   * @param most that it is asked about
   * @return by the id of a pair
   */
  Map<String, PairVerdict> verdicts(List<Finding.Relation> pairs, int most)
      throws InterruptedException, IOException {
    if (judge.isEmpty()) {
      return Map.of();
    }
    VerdictRun run = new VerdictRun(judge.get().asking(), pairs);
    run.askUnjudged(most);
    return run.verdicts();
  }

  /** What to say where there is no judge, or none to be trusted. */
  String caveat() {
    if (judge.isEmpty()) {
      return Review.NOT_JUDGED;
    }
    return judge.get().guesses() ? Review.GUESSED : "";
  }

  /**
   * A pair as an item, about the one of the two that is named first.
   *
   * @param word for the verdict of the judge; empty when there is none
   */
  Review.Item item(Finding.Relation pair, NamedEntry first, String relation, String word) {
    NamedEntry second = first == pair.a() ? pair.b() : pair.a();
    return new Review.Item(
        pair.id(), relation, first.name(), second.name(), pair.similarity(), word, excerpt(first));
  }

  static String excerpt(NamedEntry entry) {
    String text = entry.entry().text().content().strip();
    int end = text.offsetByCodePoints(0, Math.min(160, text.codePointCount(0, text.length())));
    return end < text.length() ? text.substring(0, end) + "…" : text;
  }
}
