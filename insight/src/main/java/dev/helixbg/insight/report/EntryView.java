package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import java.util.List;
import java.util.Optional;

/**
 * An entry as it is read: who, when, and the text.
 *
 * @param letter what the words about a pair call it: {@code A} or {@code B}
 * @param source if the entry names one
 * @param confidence if the entry states one
 * @param label that a machine gave it, in words; nothing when its tags have one, or nobody knows
 * @param labelOrigin where that comes from, in words
 * @param matched of a pair with a long entry, the beginning of the passage that matches
 */
record EntryView(
    Optional<String> letter,
    String name,
    String date,
    List<String> tags,
    Optional<String> source,
    Optional<String> confidence,
    Optional<String> label,
    String labelOrigin,
    Optional<String> matched,
    ShownText text) {
  private static final int MAX_TAGS = 12;
  private static final int MATCHED_COLUMNS = 300;

  static EntryView of(Optional<String> letter, NamedEntry named, Judgements judgements) {
    return of(letter, named, Optional.empty(), judgements);
  }

  /**
   * @param passage that matches
   */
  static EntryView of(
      Optional<String> letter, NamedEntry named, Optional<Passage> passage, Judgements judgements) {
    EntryText text = named.entry().text();
    return new EntryView(
        letter,
        name(named),
        Wording.date(named.entry().timestampMin()),
        text.tags().stream().limit(MAX_TAGS).map(EntryView::shortName).toList(),
        text.source().map(EntryView::shortName).filter(source -> !source.isEmpty()),
        text.confidence().stream().mapToObj(Wording::limit).findFirst(),
        Judged.guess(named, judgements),
        Judged.explained(named, judgements),
        passage
            .map(found -> PrintableText.excerpt(found.text(named.entry()), MATCHED_COLUMNS))
            .filter(words -> !words.isEmpty()),
        ShownText.of(text.content()));
  }

  static String name(NamedEntry named) {
    return PrintableText.line(named.name());
  }

  boolean hasText() {
    return !text.head().isBlank();
  }

  /** Metadata can be as long as a body. */
  private static String shortName(String text) {
    return PrintableText.excerpt(text, 120);
  }
}
