package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.List;

/**
 * A recurring pattern as it is read: its words, then its entries, the one that speaks for all
 * first.
 *
 * @param words that most of its entries have; none where there are none
 * @param spread in how many entries and topics it is
 */
record PatternView(String id, List<String> words, String spread, List<Member> members) {
  private static final int WORD_COLUMNS = 60;
  private static final int EXCERPT_COLUMNS = 300;

  /** One of its entries, with the beginning of its text. */
  record Member(String name, String date, String excerpt) {
    private static Member of(NamedEntry named) {
      return new Member(
          EntryView.name(named),
          NumberWords.date(named.entry().timestampMin()),
          PrintableText.excerpt(named.entry().text().content(), EXCERPT_COLUMNS));
    }
  }

  static PatternView of(Finding.Pattern pattern) {
    List<NamedEntry> members = pattern.centralFirst();
    long topics = members.stream().map(one -> one.entry().topic()).distinct().count();
    return new PatternView(
        PrintableText.line(pattern.id()),
        pattern.sharedWords().stream()
            .map(word -> PrintableText.excerpt(word, WORD_COLUMNS))
            .toList(),
        NumberWords.count(members.size(), "entry", "entries")
            + " in "
            + NumberWords.count(topics, "topic", "topics"),
        members.stream().map(Member::of).toList());
  }
}
