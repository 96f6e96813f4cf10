package dev.helixbg.insight.log;

import dev.helixbg.config.text.NormalForm;
import java.util.regex.Pattern;

/**
 * Converts a text to a form without embedded data, in composed Unicode characters (NFC). Vectors
 * are computed from this form, and texts with the same form count as the same text.
 */
public final class SaidText {
  /** The words that replace embedded data. */
  public static final String MARK = "(data left out)";

  /** A data URI, or a run of base64 or hex digits longer than any word or address. */
  static final Pattern DATA =
      Pattern.compile(
          "data:[\\w/+.;=-]{0,100};base64,[A-Za-z0-9+/=_%-]*+"
              + "|[A-Za-z0-9+/_-]{256,}+={0,2}"
              + "|(?m:(?:^[A-Za-z0-9+/]{60,}+={0,2}$\\n?){4,}+)");

  /** Minimum number of base64 digits in a row in any data without {@code ;base64,}. */
  private static final int RUN = 60;

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

  /** Quickly checks whether a text may have data. {@link #DATA} is slow: it tries each place. */
  private static boolean mayHaveData(String text) {
    return text.contains(";base64,") || hasRun(text);
  }

  /** Whether a text has {@link #RUN} base64 digits in a row. The search skips most characters. */
  private static boolean hasRun(String text) {
    for (int end = RUN; end <= text.length(); ) {
      int i = end;
      while (i > end - RUN && isDigit(text.charAt(i - 1))) {
        i--;
      }
      if (i == end - RUN) {
        return true;
      }
      end = i + RUN;
    }
    return false;
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
