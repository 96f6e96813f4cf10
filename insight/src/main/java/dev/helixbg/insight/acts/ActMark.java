package dev.helixbg.insight.acts;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * The line that an act puts at the end of an entry before the entry is deleted or rewritten: {@code
 * (helix-bg: 3fa9c2d41b77)} and a blank. It names the text above it by hash, so that one look at
 * the log tells whether that text changed before the line came. helix takes blanks off the end of
 * every entry that it adds to or tags. The line with its blank therefore stays only as long as the
 * entry is not changed afterwards. A call that looks for it meets the very text that was marked or
 * nothing.
 */
final class ActMark {
  private static final String BEGINNING = "(helix-bg: ";
  private static final String END = ") ";

  /** Bytes of a hash that are written. */
  private static final int BYTES = 6;

  private ActMark() {}

  /** Returns the hash in the mark of a text, in hex. */
  static String hash(String body) {
    byte[] hash = Sha256.start().digest(trimmed(body).getBytes(UTF_8));
    return HexFormat.of().formatHex(hash, 0, BYTES);
  }

  /** The line, with its blank. */
  static String line(String hash) {
    return BEGINNING + hash + END;
  }

  /** Whether a text has a mark of any act, or a copy of one, in upper or lower case. */
  static boolean isOn(String body) {
    return MatchString.lower(body).contains(BEGINNING);
  }

  /** Whether a text has this mark, as helix looks for it. */
  static boolean isOn(String body, String line) {
    return MatchString.lower(body).contains(line);
  }

  /**
   * Whether entries carry these marks, each under the very text that it names, and no others do, in
   * upper or lower case, as helix looks for them.
   *
   * @param hashes of an act's marks; of copies the same one as often as there are copies
   */
  static boolean areUnder(List<NamedEntry> entries, List<String> hashes) {
    Map<String, Integer> wanted = new HashMap<>();
    hashes.forEach(hash -> wanted.merge(line(hash), 1, Integer::sum));
    return wanted.entrySet().stream()
        .allMatch(
            mark -> {
              List<String> found =
                  entries.stream()
                      .map(one -> one.entry().body())
                      .filter(body -> isOn(body, mark.getKey()))
                      .toList();
              return found.size() == mark.getValue()
                  && found.stream().allMatch(body -> isUnder(body, mark.getKey()));
            });
  }

  /** Whether a text ends with the mark of itself. */
  static boolean isLeftOn(String body) {
    int at = body.lastIndexOf("\n" + BEGINNING);
    return at >= 0 && isUnder(body, body.substring(at + 1));
  }

  private static boolean isUnder(String body, String line) {
    String end = "\n" + line;
    return body.endsWith(end)
        && line(hash(body.substring(0, body.length() - end.length()))).equals(line);
  }

  /** Without what helix or Java holds for blanks at its end. */
  private static String trimmed(String body) {
    int end = body.length();
    while (end > 0 && isBlank(body.charAt(end - 1))) {
      end--;
    }
    return body.substring(0, end);
  }

  private static boolean isBlank(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
  }
}
