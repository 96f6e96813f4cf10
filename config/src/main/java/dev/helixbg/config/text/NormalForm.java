package dev.helixbg.config.text;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.regex.Pattern;

/** Normal form of texts, for keys and comparisons. Unicode can encode one text in several ways. */
public final class NormalForm {
  /** Characters of unusual width, such as full-width letters and digits, and half-width kana. */
  private static final Pattern WIDE = Pattern.compile("[\\uFF00-\\uFFEF]+");

  /** Invisible characters that only control how a text is shown or where a line breaks. */
  private static final Pattern HINTS =
      Pattern.compile("[\\u00AD\\u200B\\u2060\\uFEFF\\uFE0E\\uFE0F]");

  /** Lowest character that NFC changes or combines with the character before it. */
  private static final char COMBINING = '\u0300';

  /** Lowest character that NFD changes. */
  private static final char ACCENTED = '\u00C0';

  private static final Pattern ACCENT = Pattern.compile("[\\u0300-\\u036f]");

  // Range of frequent characters (dashes, quotation marks, dots) that normalization never changes.
  private static final char FIRST_MARK = '\u2010';
  private static final char LAST_MARK = '\u2027';

  private NormalForm() {}

  /** Returns a text in NFC, with characters of usual width and without {@link #HINTS}. */
  public static String of(String text) {
    return composed(isOdd(text) ? plain(text) : text);
  }

  /**
   * Returns whether a text may match {@link #HINTS} or {@link #WIDE}; fast even without the JIT.
   */
  private static boolean isOdd(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\u00AD' || c == '\u200B' || c == '\u2060' || c >= '\uFE0E') {
        return true;
      }
    }
    return false;
  }

  private static String plain(String text) {
    return WIDE.matcher(HINTS.matcher(text).replaceAll(""))
        .replaceAll(
            wide ->
                Normalizer.normalize(wide.group(), Form.NFKC)
                    .replace("\\", "\\\\")
                    .replace("$", "\\$"));
  }

  public static String composed(String text) {
    return reaches(text, COMBINING) ? Normalizer.normalize(text, Form.NFC) : text;
  }

  /** Returns a text in NFC, without the accents of its letters. */
  public static String withoutAccents(String text) {
    return reaches(text, ACCENTED)
        ? composed(ACCENT.matcher(Normalizer.normalize(text, Form.NFD)).replaceAll(""))
        : text;
  }

  /** Returns whether a text has a character ≥ {@code lowest} other than common punctuation. */
  private static boolean reaches(String text, char lowest) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= lowest && (c < FIRST_MARK || c > LAST_MARK)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a text is ASCII. A plain loop is fast even before the JIT compiles it. */
  public static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }
}
