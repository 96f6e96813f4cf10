package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.SentenceEnds;
import java.util.Optional;

/**
 * An entry's text cut for reading: what is shown at once, what can be unfolded, and how much is
 * left out.
 *
 * @param head the beginning, whole when the text is short
 * @param rest what follows the head, up to a limit; often empty
 * @param unread characters of the text after {@code head}
 * @param omitted characters of the text after {@code rest}
 */
record FoldableText(String head, String rest, int unread, int omitted) {
  private static final int HEAD_CHARS = 900;
  private static final int HEAD_LINES = 14;
  private static final int ALL_CHARS = 4_000;
  private static final int ALL_LINES = 100;

  /** How far a cut may move back to end at a word or a line. */
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

  /** Where what is shown at once ends, in UTF-16 units of the content. */
  static int headOf(String content) {
    return cut(content, 0, HEAD_CHARS, HEAD_LINES);
  }

  boolean folded() {
    return !rest.isEmpty();
  }

  /** The words on the fold. */
  String restWords() {
    return NumberWords.count(unread, "more character", "more characters");
  }

  /** Says how much of the text is in neither part. */
  Optional<String> omittedWords() {
    return leftOut(omitted);
  }

  /** Says how much is left out where only the head is shown. */
  Optional<String> unreadWords() {
    return leftOut(unread);
  }

  private static Optional<String> leftOut(int characters) {
    return Optional.of(characters)
        .filter(left -> left > 0)
        .map(
            left ->
                "… " + NumberWords.count(left, "more character", "more characters") + " left out");
  }

  /** End of the part from {@code from} that keeps to both limits. */
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
