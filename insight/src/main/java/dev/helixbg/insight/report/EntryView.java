package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.pairs.WordDifference;
import java.util.List;
import java.util.Optional;

/**
 * An entry as it is read: who, when, and the text.
 *
 * @param letter what the words about a pair call it: {@code A} or {@code B}
 * @param known by which a reader knows it
 * @param source if the entry names one, and is not called by it; of a fact its file and line
 * @param confidence if the entry states one
 * @param matched of a pair with a long entry, the passage that matches with what is around it;
 *     nothing where the text begins with it
 * @param markedHead the beginning of the text, with what only this one of a pair says
 * @param markedRest what follows, in the same way
 * @param ownWords what only this one of a pair says, in the order of its text: the first of them
 * @param moreOwnWords how many others there are; nothing when there are none
 * @param ownCount how much that is, in words; nothing for an entry that is in no pair
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

  /** A longer list says no more. */
  private static final int OWN_WORDS = 40;

  /** An entry alone. */
  static EntryView of(NamedEntry named) {
    return of(Optional.empty(), named, Optional.empty(), Optional.empty());
  }

  /**
   * One of a pair.
   *
   * @param letter what the words about the pair call it
   * @param passage that matches
   */
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
        passage.filter(found -> isFurtherDown(found, text)).map(found -> matched(found, text)),
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

  /** With no marks where more than half would be marked: they would show nothing. */
  private static List<WordDifference.Stretch> marked(Optional<WordDifference> own, String text) {
    return own.map(words -> words.mark(text))
        .filter(
            stretches ->
                stretches.stream()
                        .filter(WordDifference.Stretch::own)
                        .mapToInt(stretch -> stretch.text().length())
                        .sum()
                    <= text.length() / 2)
        .orElseGet(() -> List.of(new WordDifference.Stretch(text, false)));
  }

  /** Else what is shown begins with it, or has it whole. */
  private static boolean isFurtherDown(Passage passage, EntryText text) {
    return passage.start() > 0 && passage.end() > FoldableText.headOf(text.content());
  }

  private static Passage.InPlace matched(Passage passage, EntryText text) {
    Passage.InPlace found = passage.inPlace(text.content());
    return new Passage.InPlace(
        PrintableText.block(found.before()),
        PrintableText.block(found.text()),
        PrintableText.block(found.after()));
  }

  static String name(NamedEntry named) {
    return PrintableText.line(named.name());
  }

  private static String printable(NamedEntry named) {
    return PrintableText.block(WordDifference.begin(named.content()));
  }

  /** The matching text by itself, for formats that cannot show it in bold within the entry. */
  Optional<String> matchedText() {
    return matched.map(found -> found.before() + "⟦" + found.text() + "⟧" + found.after());
  }

  boolean hasText() {
    return !text.head().isBlank();
  }

  /** Metadata can be as long as a body. */
  private static String shortName(String text) {
    return PrintableText.excerpt(text, 120);
  }
}
