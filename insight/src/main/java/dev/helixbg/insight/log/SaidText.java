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
  private static final Pattern DATA =
      Pattern.compile(
          "data:[\\w/+.;=-]{0,100};base64,[A-Za-z0-9+/=_%-]*+"
              + "|[A-Za-z0-9+/_-]{256,}+={0,2}"
              + "|(?m:(?:^[A-Za-z0-9+/]{60,}+={0,2}$\\n?){4,}+)");

  private SaidText() {}

  /** The same text where there is nothing to leave out or to compose. */
  public static String of(String text) {
    String plain = text.length() < 64 ? text : DATA.matcher(text).replaceAll(MARK);
    return Normalizer.normalize(plain, Normalizer.Form.NFC);
  }
}
