package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A finding on one line, with the names of its first entries or topics. */
record LineView(
    String id,
    Optional<String> verdict,
    List<NameView> names,
    Optional<String> moreWords,
    Optional<String> says) {
  private static final int NAMED = 3;

  static LineView of(String id, String verdict, List<NamedEntry> entries, String says) {
    return new LineView(
        PrintableText.line(id),
        Optional.of(verdict).filter(words -> !words.isEmpty()),
        entries.stream().limit(NAMED).map(NameView::of).toList(),
        NumberWords.more(entries.size(), NAMED),
        Optional.of(PrintableText.line(says)).filter(words -> !words.isEmpty()));
  }

  static LineView of(String id, NamedEntry entry, String says) {
    return of(id, "", List.of(entry), says);
  }

  static LineView of(Finding.TopicOverlap topics) {
    String similarity = "similarity " + NumberWords.similarity(topics.similarity());
    return new LineView(
        PrintableText.line(topics.id()),
        Optional.empty(),
        Stream.of(topics.a(), topics.b()).map(NameView::ofTopic).toList(),
        Optional.empty(),
        Optional.of(similarity + ", " + EvidenceWords.of(topics)));
  }
}
