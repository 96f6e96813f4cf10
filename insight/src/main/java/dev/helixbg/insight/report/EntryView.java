package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.EntryText;
import java.util.List;

/**
 * An entry as it is read: who, when, and the text.
 *
 * @param letter what the words about a pair call it: {@code A} or {@code B}
 * @param source empty when the entry names none
 * @param confidence empty when the entry states none
 * @param label that a machine gave it, in words; empty when its tags have one, or nobody knows
 * @param labelOrigin where that comes from, in words
 */
record EntryView(
    String letter,
    String name,
    String date,
    List<String> tags,
    String source,
    String confidence,
    String label,
    String labelOrigin,
    ShownText text) {
  private static final int MAX_TAGS = 12;

  static EntryView of(String letter, NamedEntry named, Judgements judgements) {
    EntryText text = named.entry().text();
    return new EntryView(
        letter,
        name(named),
        Wording.date(named.entry().timestampMin()),
        text.tags().stream().limit(MAX_TAGS).map(EntryView::shortName).toList(),
        text.source().map(EntryView::shortName).orElse(""),
        text.confidence().isPresent() ? Wording.limit(text.confidence().getAsDouble()) : "",
        Judged.guess(named, judgements),
        Judged.explained(named, judgements),
        ShownText.of(text.content()));
  }

  static String name(NamedEntry named) {
    return PrintableText.line(named.name());
  }

  boolean hasLetter() {
    return !letter.isEmpty();
  }

  boolean hasSource() {
    return !source.isEmpty();
  }

  boolean hasConfidence() {
    return !confidence.isEmpty();
  }

  boolean hasLabel() {
    return !label.isEmpty();
  }

  boolean hasText() {
    return !text.head().isBlank();
  }

  /** Metadata can be as long as a body. */
  private static String shortName(String text) {
    return PrintableText.excerpt(text, 120);
  }
}
