package dev.helixbg.config.text;

/**
 * Text without the characters that act on a terminal instead of being read: controls, escape
 * sequences, bidirectional overrides. Each is shown as U+FFFD.
 */
public final class PrintableText {
  private static final int REPLACEMENT = 0xFFFD;
  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;

  private PrintableText() {}

  /** Keeps line feeds and tabs. */
  public static String block(String text) {
    return replaced(text, true);
  }

  /** Fits on one line. */
  public static String line(String text) {
    return replaced(text, false);
  }

  private static String replaced(String text, boolean lines) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> isPrintable(c) || lines && (c == '\n' || c == '\t') ? c : REPLACEMENT)
        .forEach(out::appendCodePoint);
    return out.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      // Scripts and emoji are joined by these two; the others hide or reorder.
      case Character.FORMAT -> c == ZERO_WIDTH_NON_JOINER || c == ZERO_WIDTH_JOINER;
      default -> true;
    };
  }
}
