package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.pairs.WordDifference;
import java.util.List;
import java.util.Optional;

/**
 * An entry as the report shows it.
 *
 * @param letter letter, {@code A} or {@code B}, by which texts about a pair refer to the entry
 * @param source for an entry of helix, the source that its metadata names; for a fact, its file and
 *     line
 * @param matched passage that matches the other entry of a pair, with the text around it; empty if
 *     the shown beginning of the entry includes this passage
 * @param markedHead beginning of the text, in which the words that the other entry lacks are marked
 * @param ownWords the first of the entry's words that the other entry of the pair lacks, in the
 *     order of the text
 * @param moreOwnWords number of further words that the other entry lacks, as text
 * @param ownCount number of all words that the other entry lacks, as text; empty for an entry
 *     without a pair
 */
record EntryView(
    Optional<String> letter,
    NameView known,
    String date,
    List<String> tags,
    Optional<String> source,
    Optional<String> confidence,
    Optional<Passage.InPlace> matched,
    FoldableText text,
    List<WordDifference.Stretch> markedHead,
    List<WordDifference.Stretch> markedRest,
    List<String> ownWords,
    Optional<String> moreOwnWords,
    Optional<String> ownCount) {
  private static final int MAX_TAGS = 12;

  private static final int OWN_WORDS = 40;

  /** Returns the view of an entry that is not shown as part of a pair. */
  static EntryView of(NamedEntry named) {
    return of(Optional.empty(), named, Optional.empty(), Optional.empty());
  }

  static EntryView of(
      String letter, NamedEntry named, NamedEntry other, Optional<Passage> passage) {
    return of(
        Optional.of(letter), named, Optional.of(WordDifference.besides(printable(other))), passage);
  }

  private static EntryView of(
      Optional<String> letter,
      NamedEntry named,
      Optional<WordDifference> own,
      Optional<Passage> passage) {
    EntryText text = named.text();
    FoldableText shown = FoldableText.of(text.content());
    List<String> ownWords =
        own.map(words -> words.list(printable(named))).orElse(List.of()).stream()
            .map(EntryView::shortName)
            .toList();
    return new EntryView(
        letter,
        NameView.of(named),
        NumberWords.date(named.entry()),
        text.tags().stream().limit(MAX_TAGS).map(EntryView::shortName).toList(),
        named
            .place()
            .or(() -> text.source().filter(_ -> named.entry().note().isEmpty()))
            .map(EntryView::shortName)
            .filter(source -> !source.isEmpty()),
        text.confidence().stream().mapToObj(NumberWords::limit).findFirst(),
        passage.flatMap(found -> matched(found, text)),
        shown,
        marked(own, shown.head()),
        marked(own, shown.rest()),
        ownWords.stream().limit(OWN_WORDS).toList(),
        Optional.of(ownWords.size() - OWN_WORDS)
            .filter(more -> more > 0)
            .map(more -> NumberWords.count(more, "more word", "more words")),
        own.map(
            _ ->
                ownWords.isEmpty()
                    ? "no word of its own"
                    : NumberWords.count(ownWords.size(), "word of its own", "words of its own")));
  }

  private static List<WordDifference.Stretch> marked(Optional<WordDifference> own, String text) {
    return own.map(words -> words.markUpToHalf(text))
        .orElseGet(() -> List.of(new WordDifference.Stretch(text, false)));
  }

  /** Returns a passage with the text around it; empty if the shown text includes the passage. */
  private static Optional<Passage.InPlace> matched(Passage passage, EntryText text) {
    if (passage.start() == 0 || passage.end() <= FoldableText.headOf(text.content())) {
      return Optional.empty();
    }
    Passage.InPlace found = passage.inPlace(text.content());
    return Optional.of(
        new Passage.InPlace(
            PrintableText.block(found.before()),
            PrintableText.block(found.text()),
            PrintableText.block(found.after())));
  }

  private static String printable(NamedEntry named) {
    return PrintableText.block(WordDifference.begin(named.content()));
  }

  /** Returns the match and the text around it; brackets mark the match in formats without bold. */
  Optional<String> matchedText() {
    return matched.map(found -> found.before() + "⟦" + found.text() + "⟧" + found.after());
  }

  boolean hasText() {
    return !text.head().isBlank();
  }

  /** Shortens a tag, source or word, because each can be as long as a whole text. */
  private static String shortName(String text) {
    return PrintableText.excerpt(text, 120);
  }
}
