package dev.helixbg.insight.log;

import dev.helixbg.config.text.PrintableText;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A body taken apart: its text, and what its metadata lines say.
 *
 * <p>Lines end at {@code \n} only. A metadata line is exactly {@code [kind: value]}, with one of
 * the kinds {@code tags}, {@code source}, {@code confidence}, {@code links}, {@code modified} in
 * lower case, a colon and a space; it may stand anywhere in the body. Any other line is text: other
 * kinds, a blank before the bracket, a {@code \r} after it.
 *
 * <p>The content is all other lines, unchanged and in order, joined by {@code \n}: blank lines
 * stay, nothing is trimmed. A body without metadata lines is its own content.
 *
 * <p>Of a kind that occurs twice, the last valid line counts; the others only vanish from the
 * content. A line is valid when its value, with blanks around it taken off, has
 *
 * <ul>
 *   <li>tags: at least one tag between commas; empty ones are skipped
 *   <li>source: any character; helix writes {@code file:line}, users also a file alone
 *   <li>confidence: a decimal number from 0 to 1
 *   <li>links: at least one {@code topic:index} between blanks, the index a decimal number after
 *       the last colon; items of another form are skipped
 *   <li>modified: any character; helix writes {@code yyyy-MM-dd HH:mm}
 * </ul>
 *
 * @param content the body without metadata lines
 * @param tags in written order
 * @param source as written, mostly {@code file:line}
 * @param confidence 0 to 1
 * @param links references to other entries, in written order
 * @param modified as written
 */
public record EntryText(
    String content,
    List<String> tags,
    Optional<String> source,
    OptionalDouble confidence,
    List<Link> links,
    Optional<String> modified) {

  /** {@code topic:index}, the index counting the live entries of the topic from 0. */
  public record Link(String topic, int index) {}

  /** Of a title, in characters. */
  private static final int TITLE = 100;

  /** The first line that is not blank, or its beginning; empty when there is none. */
  public String title() {
    for (int start = 0; start < content.length(); ) {
      int newline = content.indexOf('\n', start);
      int end = newline < 0 ? content.length() : newline;
      String line = content.substring(start, end).strip();
      if (!line.isEmpty()) {
        return PrintableText.beginning(line, TITLE);
      }
      start = end + 1;
    }
    return "";
  }

  /** Takes a body apart; any text is a valid body. */
  public static EntryText parse(String body) {
    return new EntryTextParser().parse(body);
  }
}
