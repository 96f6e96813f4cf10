package dev.helixbg.config.text;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.regex.Pattern;

/** One spelling of texts that Unicode can write in several ways: what keys and comparisons use. */
public final class NormalForm {
  /** Full width letters and digits, half width kana. */
  private static final Pattern WIDE = Pattern.compile("[\\uFF00-\\uFFEF]+");

  /** Hints on how to show or break a text. */
  private static final Pattern HINTS =
      Pattern.compile("[\\u00AD\\u200B\\u2060\\uFEFF\\uFE0E\\uFE0F]");

  /** The first character that can be part of a composed one: no text of those before changes. */
  private static final char COMBINING = '\u0300';

  /** Likewise dashes, quotation marks and dots, which many texts have. */
  private static final char FIRST_MARK = '\u2010';

  private static final char LAST_MARK = '\u2027';

  private NormalForm() {}

  /** In composed form (NFC), of usual width, without hints on how to show or break it. */
  public static String of(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isOdd(text.charAt(i))) {
        return composed(plain(text));
      }
    }
    return composed(text);
  }

  /** Whether one of the patterns may match: to try them takes a young JVM long. */
  private static boolean isOdd(char c) {
    return c == '\u00AD' || c == '\u200B' || c == '\u2060' || c >= '\uFE0E';
  }

  private static String plain(String text) {
    return WIDE.matcher(HINTS.matcher(text).replaceAll(""))
        .replaceAll(
            wide ->
                Normalizer.normalize(wide.group(), Form.NFKC)
                    .replace("\\", "\\\\")
                    .replace("$", "\\$"));
  }

  /** A text in composed form (NFC). */
  public static String composed(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= COMBINING && (c < FIRST_MARK || c > LAST_MARK)) {
        return Normalizer.normalize(text, Form.NFC);
      }
    }
    return text;
  }

  /** Whether a text has no other characters: a loop, which costs nothing in a young JVM. */
  public static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return false;
      }
    }
    return true;
  }
}
