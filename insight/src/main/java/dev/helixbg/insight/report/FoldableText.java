package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.SentenceEnds;
import java.util.Optional;

/**
 * An entry's text: a beginning that is always shown, and a rest that the reader can unfold.
 *
 * @param head beginning of the text; the whole text if it is short
 * @param rest text after the head, up to a limit; empty if the head is the whole text
 * @param unread number of characters that follow {@code head} in the entry
 * @param omitted number of characters that follow {@code rest} in the entry
 */
record FoldableText(String head, String rest, int unread, int omitted) {
  private static final int HEAD_CHARS = 900;
  private static final int HEAD_LINES = 14;
  private static final int ALL_CHARS = 4_000;
  private static final int ALL_LINES = 100;

  /** Maximum number of UTF-16 units by which a text's end is moved back to a blank. */
  private static final int SLACK = 80;

  static FoldableText of(String content) {
    int head = headOf(content);
    int all = head == content.length() ? head : cut(content, head, ALL_CHARS, ALL_LINES);
    return new FoldableText(
        PrintableText.block(content.substring(0, head)),
        PrintableText.block(content.substring(head, all)),
        content.codePointCount(head, content.length()),
        content.codePointCount(all, content.length()));
  }

  /** Returns the position in the content, in UTF-16 units, at which the head ends. */
  static int headOf(String content) {
    return cut(content, 0, HEAD_CHARS, HEAD_LINES);
  }

  boolean folded() {
    return !rest.isEmpty();
  }

  /** Returns the words that a report shows in place of the folded text. */
  String restWords() {
    return more(unread);
  }

  Optional<String> omittedWords() {
    return leftOut(omitted);
  }

  Optional<String> unreadWords() {
    return leftOut(unread);
  }

  private static Optional<String> leftOut(int characters) {
    return characters > 0 ? Optional.of("… " + more(characters) + " left out") : Optional.empty();
  }

  private static String more(int characters) {
    return NumberWords.count(characters, "more character", "more characters");
  }

  private static int cut(String text, int from, int chars, int lines) {
    int end = endOfLines(text, from, Math.min(text.length(), from + chars), lines);
    if (end == text.length() || end == 0 || text.charAt(end - 1) == '\n') {
      return end;
    }
    int blank = Math.max(text.lastIndexOf(' ', end - 1), text.lastIndexOf('\n', end - 1));
    if (blank >= Math.max(from, end - SLACK)) {
      return blank + 1;
    }
    return SentenceEnds.whole(text, end);
  }

  private static int endOfLines(String text, int from, int end, int lines) {
    int at = from;
    for (int line = 0; line < lines; line++) {
      int feed = text.indexOf('\n', at);
      if (feed < 0 || feed >= end) {
        return end;
      }
      at = feed + 1;
    }
    return at;
  }
}
