package dev.helixbg.insight.log;

import java.text.Normalizer;
import java.util.regex.Pattern;

/**
 * A text without data that nobody reads, in composed Unicode form (NFC): what is embedded, and by
 * which texts are known again.
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

  /** Characters of the shortest run, and of the shortest line of several, that it matches. */
  private static final int RUN = 256;

  private static final int LINE = 60;

  private SaidText() {}

  /** The same text where there is nothing to leave out or to compose. */
  public static String of(String text) {
    String plain = mayHaveData(text) ? DATA.matcher(text).replaceAll(MARK) : text;
    return Normalizer.normalize(plain, Normalizer.Form.NFC);
  }

  /** Whether the pattern can match: it tries each place of each word, which takes long. */
  private static boolean mayHaveData(String text) {
    int run = 0;
    int line = 0; // characters since it began; less than none where others were among them
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isDigit =
          c >= 'a' && c <= 'z'
              || c >= 'A' && c <= 'Z'
              || c >= '0' && c <= '9'
              || c == '+'
              || c == '/';
      run = isDigit || c == '_' || c == '-' ? run + 1 : 0;
      line = isLineEnd(c) ? 0 : isDigit && line >= 0 ? line + 1 : -1;
      if (run == RUN || line == LINE) {
        return true;
      }
    }
    return text.contains(";base64,");
  }

  /** As the pattern has it. */
  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r' || c == '\u0085' || c == '\u2028' || c == '\u2029';
  }
}
