package dev.helixbg.insight.log;

/** Separates text from other bytes by strict UTF-8, as in Unicode 16, table 3-7. */
final class Utf8Check {
  private static final int DELETE = 0x7f;

  private Utf8Check() {}

  /**
   * Returns the number of bytes from {@code index} on that are text.
   *
   * @param length maximum number of bytes; a character that this limit cuts counts as text
   * @param controls whether control characters other than NUL are text
   */
  static int run(byte[] bytes, int index, int length, boolean controls) {
    int lowest = controls ? 1 : ' ';
    int position = 0;
    while (position < length) {
      byte lead = bytes[index + position];
      if (lead >= 0 && (lead < lowest || lead == DELETE && !controls)) {
        return position;
      }
      int size = lead >= 0 ? 1 : sizeOf(bytes, index + position, length - position);
      if (size == 0) {
        return position;
      }
      if (size < 0) {
        return length;
      }
      position += size;
    }
    return length;
  }

  /**
   * Returns the number of bytes of the character at an index; 0 if it is malformed, -1 if it is
   * valid but cut.
   */
  private static int sizeOf(byte[] bytes, int index, int available) {
    int lead = bytes[index] & 0xff;
    if (lead < 0x80) {
      return 1;
    }
    int size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    for (int i = 1; i < Math.min(size, available); i++) {
      int next = bytes[index + i] & 0xff;
      int low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      int high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) {
        return 0;
      }
    }
    return size > available ? -1 : size;
  }
}
