package dev.helixbg.insight.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;

/** Separates text from other bytes. */
final class Utf8Check {
  private static final int DELETE = 0x7f;

  private Utf8Check() {}

  /**
   * Returns the number of bytes from {@code index} on that are text in UTF-8.
   *
   * @param length maximum number of bytes; a character that this limit cuts counts as text
   * @param controls whether control characters other than NUL are text
   */
  static int run(byte[] bytes, int index, int length, boolean controls) {
    int end = 0;
    while (end < length && !isControl(bytes[index + end], controls)) {
      end++;
    }
    ByteBuffer text = ByteBuffer.wrap(bytes, index, end);
    boolean isMalformed =
        UTF_8.newDecoder().decode(text, CharBuffer.allocate(end), false).isError();
    return end == length && !isMalformed ? length : text.position() - index;
  }

  private static boolean isControl(byte one, boolean onlyNul) {
    return one == 0 || !onlyNul && (one > 0 && one < ' ' || one == DELETE);
  }
}
