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
 * (helix-bg: 3fa9c2d41b77)} and a space. It has a hash of the text above it, so the log shows
 * whether that text changed before the line was added. When helix appends to an entry or tags it,
 * helix removes the blanks at the end of the entry. A call that searches for the line with its
 * space therefore finds an entry only if helix has not changed the entry since.
 */
final class ActMark {
  private static final String BEGINNING = "(helix-bg: ";
  private static final String END = ") ";

  private static final int BYTES = 6;

  private ActMark() {}

  /** Returns the hash, in hex, that the mark of a text contains. */
  static String hash(String body) {
    byte[] hash = Sha256.start().digest(trimmed(body).getBytes(UTF_8));
    return HexFormat.of().formatHex(hash, 0, BYTES);
  }

  static String line(String hash) {
    return BEGINNING + hash + END;
  }

  /** Whether a text contains the mark of any act, in upper or lower case. */
  static boolean isOn(String body) {
    return isOn(body, BEGINNING);
  }

  /** Whether a text contains a given mark; upper and lower case do not matter, as in helix. */
  static boolean isOn(String body, String line) {
    return MatchString.lower(body).contains(line);
  }

  /**
   * Whether each of the marks with these hashes stands below the text that the mark was made for,
   * and nowhere else. If several entries have the same text, its hash is listed once for each of
   * these entries.
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

  /** Whether a body ends with a mark of the text above it. */
  static boolean isLeftOn(String body) {
    int at = body.lastIndexOf("\n" + BEGINNING);
    return at >= 0 && isUnder(body, body.substring(at + 1));
  }

  private static boolean isUnder(String body, String line) {
    String end = "\n" + line;
    return body.endsWith(end)
        && line(hash(body.substring(0, body.length() - end.length()))).equals(line);
  }

  /** Returns the text without the characters at its end that helix or Java treats as blanks. */
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
