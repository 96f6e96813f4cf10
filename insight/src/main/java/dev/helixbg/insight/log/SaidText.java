package dev.helixbg.insight.log;

import dev.helixbg.config.text.NormalForm;
import java.util.regex.Pattern;

/**
 * A text without embedded data, in composed Unicode form (NFC). Vectors are made of it, and it
 * tells whether two texts are the same.
 */
public final class SaidText {
  /** In the place of data. */
  static final String MARK = "(data left out)";

  /** A data URI, or a run of base64 or hex digits of a length that no word or address has. */
  static final Pattern DATA =
      Pattern.compile(
          "data:[\\w/+.;=-]{0,100};base64,[A-Za-z0-9+/=_%-]*+"
              + "|[A-Za-z0-9+/_-]{256,}+={0,2}"
              + "|(?m:(?:^[A-Za-z0-9+/]{60,}+={0,2}$\\n?){4,}+)");

  /** Characters of the shortest run that the pattern matches. */
  private static final int RUN = 256;

  /** Least length of each line, in characters, where a match spans several lines. */
  private static final int LINE = 60;

  private SaidText() {}

  /** The same text where there is nothing to leave out or to compose. */
  public static String of(String text) {
    String plain = mayHaveData(text) ? DATA.matcher(text).replaceAll(MARK) : text;
    return NormalForm.composed(plain);
  }

  /** Whether the pattern can match: it tries each place of each word, which takes long. */
  private static boolean mayHaveData(String text) {
    return hasRun(text, LINE) && (hasRun(text, RUN) || hasLongLine(text))
        || text.contains(";base64,");
  }

  /** Whether there is a run of this many base64 digits; reads only a part of a text without one. */
  private static boolean hasRun(String text, int digits) {
    for (int end = digits; end <= text.length(); ) {
      int i = end;
      while (i > end - digits && isDigit(text.charAt(i - 1))) {
        i--;
      }
      if (i == end - digits) {
        return true;
      }
      end = i + digits;
    }
    return false;
  }

  private static boolean hasLongLine(String text) {
    int run = 0; // digits since the line's beginning; -1 behind another character
    for (int i = 0; i < text.length() && run < LINE; i++) {
      char c = text.charAt(i);
      run = isLineEnd(c) ? 0 : run >= 0 && isDigit(c) ? run + 1 : -1;
    }
    return run == LINE;
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }

  private static boolean isDigit(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '+'
        || c == '/'
        || c == '_'
        || c == '-';
  }
}
