package dev.helixbg.insight.report;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * Writes characters that act on a terminal or hide in a viewer as JSON escapes: the value is
 * unchanged, and JSON printed on a terminal is harmless.
 */
final class VisibleEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;
  private static final int DELETE = 0x7F;

  @Override
  public int[] getEscapeCodesForAscii() {
    int[] escapes = standardAsciiEscapesForJSON();
    escapes[DELETE] = ESCAPE_STANDARD;
    return escapes;
  }

  /** Characters outside the BMP never arrive here: Jackson writes them as escaped pairs. */
  @Override
  public SerializableString getEscapeSequence(int c) {
    boolean control = c >= 0x80 && c < 0xA0;
    int type = control ? Character.CONTROL : Character.getType(c);
    return switch (type) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          new SerializedString("\\u" + hex(c >> 8) + hex(c & 0xFF));
      default -> null;
    };
  }

  private static String hex(int value) {
    return (value < 0x10 ? "0" : "") + Integer.toHexString(value);
  }
}
