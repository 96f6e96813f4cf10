package dev.helixbg.config.text;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/**
 * Texts that control a terminal, or hide or reorder the text around them, and a check that a text
 * is harmless.
 */
public final class HostileText {
  public static final List<String> CORPUS =
      List.of(
          "nul\u0000bell\u0007backspace\b\b\bformfeed\fvertical\u000Bshift\u000E\u000F",
          "colour \u001B[31;1mred\u001B[0m",
          "clear \u001B[2J\u001B[H\u001B[3J\u001Bc",
          "title \u001B]0;owned\u0007",
          "clipboard \u001B]52;c;ZXZpbA==\u001B\\",
          "link \u001B]8;;https://evil.example\u0007here\u001B]8;;\u0007",
          "device \u001BP+q544e\u001B\\ answer \u001B[6n \u001BZ",
          "private \u001B_helix\u001B\\ \u001B^x\u001B\\ keys \u001B[?1049h\u001B[?2004h",
          "c1 \u009B31m \u009D0;owned\u009C \u0090q\u009C \u0085next \u0080\u009F",
          "delete \u007F\u007F",
          "overwrite\rhelix-bg: all is well",
          "two\r\nlines\n2026-01-01 00:00:00.000 ERROR forged",
          "bidi \u202Egnp.exe\u202C \u2066x\u2069 \u2067y\u2069 \u200E\u200F\u061C"
              + " \u202A\u202B\u202D",
          "zero\u200Bwidth\u200C\u200D\u2060\uFEFF soft\u00ADhyphen",
          "separators \u2028line\u2029paragraph",
          "lone \uD800 surrogates \uDC00 end \uDBFF",
          "tags \uDB40\uDC41\uDB40\uDC7F selectors \uDB40\uDD00 none \uFFFE\uFFFF",
          "old format \u206A\u206F invisible \u2061\u2064 annotation \uFFF9\uFFFA\uFFFB",
          "formats %s %n %d {} {{}} ${HOME} @file");

  private HostileText() {}

  /**
   * Returns whether a text for a terminal or a browser may have a character. Ignores line feeds and
   * tabs.
   */
  public static boolean isHarmless(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> c >= 0x600 && c <= 0x8E2 && c != 0x61C || c >= 0x110BD;
      default -> true;
    };
  }

  public static void assertHarmless(String shown, String where) {
    shown
        .codePoints()
        .forEach(
            c ->
                assertTrue(
                    isHarmless(c) || c == '\n' || c == '\t',
                    () -> "U+%04X reaches %s: %s".formatted(c, where, PrintableText.block(shown))));
  }
}
