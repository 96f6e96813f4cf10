package dev.helixbg.config.text;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.regex.Pattern;

/** Normal form of texts that Unicode can write in several ways, for keys and comparisons. */
public final class NormalForm {
  /** Full-width letters and digits, half-width kana. */
  private static final Pattern WIDE = Pattern.compile("[\\uFF00-\\uFFEF]+");

  /** Characters that are hints for showing or breaking a text. */
  private static final Pattern HINTS =
      Pattern.compile("[\\u00AD\\u200B\\u2060\\uFEFF\\uFE0E\\uFE0F]");

  private NormalForm() {}

  /**
   * Returns a text in composed form (NFC), with characters of usual width, and without hints for
   * showing or breaking it.
   */
  public static String of(String text) {
    if (isAscii(text)) {
      return text;
    }
    String plain = HINTS.matcher(text).replaceAll("");
    plain =
        WIDE.matcher(plain)
            .replaceAll(
                wide ->
                    Normalizer.normalize(wide.group(), Form.NFKC)
                        .replace("\\", "\\\\")
                        .replace("$", "\\$"));
    return Normalizer.normalize(plain, Form.NFC);
  }

  /**
   * Whether a text has only ASCII characters. A plain loop is fast even before the JIT compiles it.
   */
  public static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }
}
