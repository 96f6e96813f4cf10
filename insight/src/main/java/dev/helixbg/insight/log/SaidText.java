package dev.helixbg.insight.log;

import dev.helixbg.config.text.NormalForm;
import java.util.regex.Pattern;

/**
 * Converts a text to a form without embedded data (such as images in base64), in composed Unicode
 * characters (NFC). Vectors are computed from this form, and texts with the same form count as the
 * same text.
 */
public final class SaidText {
  /** The words that replace embedded data. */
  public static final String MARK = "(data left out)";

  /**
   * A data URI, or a run of base64 or hex digits longer than any word or address. A run of only
   * {@code -}, {@code _}, {@code +} and {@code /} is a horizontal line, and does not match.
   */
  static final Pattern DATA =
      Pattern.compile(
          "data:[\\w/+.;=-]{0,100};base64,[A-Za-z0-9+/=_%-]*+"
              + "|(?<![A-Za-z0-9+/_-])(?=[+/_-]*+[A-Za-z0-9])[A-Za-z0-9+/_-]{256,}+={0,2}"
              + "|(?m:(?:^[A-Za-z0-9+/]{60,}+={0,2}$\\n?){4,}+)");

  /** Minimum length, in characters, of a run of base64 digits on one line that counts as data. */
  private static final int RUN = 256;

  /** Minimum length, in characters, of each line of a run that has several lines. */
  private static final int LINE = 60;

  private SaidText() {}

  /** Returns the text in NFC, with embedded data replaced. */
  public static String of(String text) {
    String plain = mayHaveData(text) ? DATA.matcher(text).replaceAll(MARK) : text;
    return NormalForm.composed(plain);
  }

  /** Whether a text has embedded data, which {@link #of} replaces. */
  public static boolean hasData(String text) {
    return mayHaveData(text) && DATA.matcher(text).find();
  }

  /**
   * Quickly checks whether a text may have embedded data. The pattern {@link #DATA} is slow,
   * because it tries each position of each word. One run of 60 base64 digits does not make the
   * result true, because many paths and addresses contain such a run.
   */
  private static boolean mayHaveData(String text) {
    return hasRun(text, LINE) && (hasRun(text, RUN) || hasLongLine(text))
        || text.contains(";base64,");
  }

  /** Whether a text has a run of this many base64 digits. The search skips most characters. */
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
    int run = 0; // number of digits since the start of the line; -1 after another character
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
