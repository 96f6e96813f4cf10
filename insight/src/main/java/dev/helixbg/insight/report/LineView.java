package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A finding in one line, without texts: {@code helix-bg findings ID} shows those.
 *
 * @param id of the finding
 * @param verdict what was said of a pair, in words
 * @param names of its entries or topics, the first few
 * @param moreWords how many others there are
 * @param says what it is, in words; may be empty
 */
record LineView(
    String id,
    Optional<String> verdict,
    List<NameView> names,
    Optional<String> moreWords,
    String says) {
  /** Most entries of a group that are named. */
  private static final int NAMED = 3;

  /** Most columns of a lesson. */
  private static final int COLUMNS = 200;

  private static LineView of(
      String id, Optional<String> verdict, List<NamedEntry> entries, String says) {
    return new LineView(
        PrintableText.line(id),
        verdict,
        entries.stream().limit(NAMED).map(NameView::of).toList(),
        NumberWords.more(entries.size(), NAMED),
        says);
  }

  static LineView of(Finding.Relation pair, Judgements judgements) {
    return of(pair.id(), PairView.said(pair, judgements), List.of(pair.a(), pair.b()), "");
  }

  static LineView of(Finding.Copies copies) {
    return of(
        copies.id(),
        Optional.empty(),
        copies.entries(),
        NumberWords.count(copies.entries().size(), "entry", "entries"));
  }

  static LineView of(Judgements.Merge merge) {
    return of(merge.id(), Optional.empty(), merge.entries(), "");
  }

  static LineView of(Judgements.Lesson lesson) {
    return of(
        lesson.id(),
        Optional.of(PrintableText.excerpt(lesson.text(), COLUMNS)),
        lesson.entries(),
        NumberWords.count(lesson.entries().size(), "entry", "entries")
            + " of "
            + NumberWords.count(lesson.topics(), "topic", "topics"));
  }

  static LineView of(Finding.TopicOverlap topics) {
    return new LineView(
        PrintableText.line(topics.id()),
        Optional.empty(),
        Stream.of(topics.a(), topics.b()).map(NameView::ofTopic).toList(),
        Optional.empty(),
        "similarity "
            + NumberWords.similarity(topics.similarity())
            + ", "
            + EvidenceWords.of(topics));
  }

  static LineView of(Finding.Misfiled one) {
    return of(one.id(), Optional.empty(), List.of(one.entry()), EvidenceWords.of(one));
  }

  static LineView of(Finding.MovedSource moved) {
    return of(
        moved.id(), Optional.empty(), List.of(moved.entry()), PrintableText.line(moved.words()));
  }

  static LineView of(Finding.Secret secret) {
    return of(secret.id(), Optional.empty(), List.of(secret.entry()), secret.says());
  }

  boolean hasWords() {
    return !says.isEmpty();
  }
}
