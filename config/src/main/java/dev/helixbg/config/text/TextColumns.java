package dev.helixbg.config.text;

/** Counts the columns that a text takes on a terminal, by Unicode's East Asian Width (UAX #11). */
public final class TextColumns {
  private TextColumns() {}

  public static int of(String text) {
    return text.codePoints().map(TextColumns::of).sum();
  }

  static int of(int c) {
    if (c < 0x300) {
      return 1;
    }
    int type = Character.getType(c);
    boolean isJoiner = c == 0x200C || c == 0x200D;
    if (isJoiner || type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(c) ? 2 : 1;
  }

  private static boolean isWide(int c) {
    return (c >= 0x1100 && c <= 0x115F)
        || (c >= 0x2E80 && c <= 0x303E)
        || (c >= 0x3041 && c <= 0xA4CF)
        || (c >= 0xA960 && c <= 0xA97F)
        || (c >= 0xAC00 && c <= 0xD7A3)
        || (c >= 0xF900 && c <= 0xFAFF)
        || (c >= 0xFE30 && c <= 0xFE6F)
        || (c >= 0xFF01 && c <= 0xFF60)
        || (c >= 0xFFE0 && c <= 0xFFE6)
        || (c >= 0x1F200 && c <= 0x1F265)
        || (c >= 0x20000 && c <= 0x3FFFD)
        // Two of the excluded characters make a flag, which is two columns wide.
        || Character.isEmojiPresentation(c) && !(c >= 0x1F1E6 && c <= 0x1F1FF);
  }
}
