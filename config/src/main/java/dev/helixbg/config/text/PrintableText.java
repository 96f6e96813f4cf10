package dev.helixbg.config.text;

/**
 * Removes or replaces the characters of untrusted text that a terminal executes or hides: controls,
 * escape sequences, bidi overrides, invisible characters. The result is safe on a terminal. A
 * format such as HTML still needs its own escaping.
 *
 * <p>C0 controls turn into their Unicode pictures, such as {@code ␛}. Zero-width joiners and
 * non-joiners are kept where they change the text: after emoji, and after letters of scripts such
 * as Persian and Hindi. In other places they are dropped. Soft hyphens and supplementary variation
 * selectors are always dropped, because ordinary text looks the same without them. Characters that
 * hide or reorder text (bidi controls, C1 controls, tag characters, lone surrogates) become U+FFFD.
 */
public final class PrintableText {
  private static final int REPLACEMENT = 0xFFFD;
  private static final int DROPPED = -1;

  private PrintableText() {}

  /** Returns printable text that keeps line feeds and tabs; CR LF becomes a line feed. */
  public static String block(String text) {
    return shown(text, true);
  }

  /** Returns printable text on one line. Line feeds and tabs become visible characters. */
  public static String line(String text) {
    return shown(text, false);
  }

  /**
   * Returns printable text on one line, with {@code …} at its end if the text is cut to {@code
   * columns} terminal columns. Each run of white space becomes one blank.
   */
  public static String excerpt(String text, int columns) {
    StringBuilder out = new StringBuilder();
    int width = 0;
    boolean space = false;
    int next;
    for (int at = 0; at < text.length(); at = next) {
      int c = text.codePointAt(at);
      next = at + Character.charCount(c);
      if (isSpace(c)) {
        space = !out.isEmpty();
        continue;
      }
      int shown = shown(text, at);
      if (shown == DROPPED) {
        continue;
      }
      int needed = TextColumns.of(shown) + (space ? 1 : 0);
      // One column is kept free for the character …, unless the text ends here.
      if (width + needed > columns - (next < text.length() ? 1 : 0)) {
        return out.append('…').toString();
      }
      if (space) {
        out.append(' ');
        space = false;
      }
      out.appendCodePoint(shown);
      width += needed;
    }
    return out.toString();
  }

  /** Cuts a text to {@code units} UTF-16 units and adds {@code …}; never cuts a surrogate pair. */
  public static String beginning(String text, int units) {
    if (text.length() <= units) {
      return text;
    }
    int end = units - 1;
    return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + "…";
  }

  /** Replaces lone surrogates by U+FFFD, so that the text can be encoded as UTF-8. */
  public static String wellFormed(String text) {
    for (int at = 0; at < text.length(); at++) {
      if (Character.isSurrogate(text.charAt(at))) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
            .map(c -> c >= 0xD800 && c <= 0xDFFF ? REPLACEMENT : c)
            .forEach(out::appendCodePoint);
        return out.toString();
      }
    }
    return text;
  }

  /** Escapes, as {@code \\uXXXX}, the characters that {@link #block} would replace or drop. */
  public static String json(String json) {
    StringBuilder out = new StringBuilder(json.length());
    int next;
    for (int at = 0; at < json.length(); at = next) {
      int c = json.codePointAt(at);
      next = at + Character.charCount(c);
      if (c == '\n' || shown(json, at) == c) {
        out.appendCodePoint(c);
      } else {
        for (char unit : Character.toChars(c)) {
          out.append(String.format("\\u%04x", (int) unit));
        }
      }
    }
    return out.toString();
  }

  private static String shown(String text, boolean lines) {
    StringBuilder out = new StringBuilder(text.length());
    int next;
    for (int at = 0; at < text.length(); at = next) {
      int c = text.codePointAt(at);
      next = at + Character.charCount(c);
      if (lines && (c == '\n' || c == '\t')) {
        out.append((char) c);
      } else if (!lines || c != '\r' || next == text.length() || text.charAt(next) != '\n') {
        int shown = shown(text, at);
        if (shown != DROPPED) {
          out.appendCodePoint(shown);
        }
      }
    }
    return out.toString();
  }

  private static boolean isSpace(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
  }

  private static int shown(String text, int at) {
    int c = text.codePointAt(at);
    boolean isJoiner = c == 0x200C || c == 0x200D;
    return isJoiner && at > 0 && canJoin(text.codePointBefore(at)) ? c : shown(c);
  }

  /** Returns whether a zero-width joiner after the character can change how the text looks. */
  private static boolean canJoin(int c) {
    return (c >= 0x620 && c <= 0x109F) // Arabic to Myanmar
        || (c >= 0x1780 && c <= 0x18AF) // Khmer and Mongolian
        || c == 0xFE0F
        || Character.isEmojiModifier(c)
        || Character.isExtendedPictographic(c);
  }

  private static int shown(int c) {
    if (c < 0x7F) {
      return c < ' ' ? 0x2400 + c : c;
    }
    if (c < 0xA0) {
      return c == 0x7F ? 0x2421 : REPLACEMENT;
    }
    if (isHarmlessInvisible(c)) {
      return DROPPED;
    }
    if (c >= 0xE0000 && c <= 0xE0FFF) {
      return REPLACEMENT;
    }
    return switch (Character.getType(c)) {
      case Character.FORMAT -> isVisibleFormat(c) ? c : REPLACEMENT;
      case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
          REPLACEMENT;
      default -> (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) ? REPLACEMENT : c;
    };
  }

  private static boolean isHarmlessInvisible(int c) {
    return c == 0xAD
        || (c >= 0x200B && c <= 0x200D)
        || c == 0x2060
        || c == 0xFEFF
        || (c >= 0xE0100 && c <= 0xE01EF);
  }

  private static boolean isVisibleFormat(int c) {
    return (c >= 0x600 && c <= 0x605)
        || c == 0x6DD
        || c == 0x70F
        || c == 0x890
        || c == 0x891
        || c == 0x8E2
        || c == 0x110BD
        || c == 0x110CD;
  }
}
