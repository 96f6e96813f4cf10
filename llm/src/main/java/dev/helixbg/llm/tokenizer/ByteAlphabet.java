package dev.helixbg.llm.tokenizer;

import java.util.Arrays;

/**
 * The 256 visible characters that represent the bytes of UTF-8 in byte-level vocabularies.
 *
 * <p>Printable Latin-1 bytes are represented by themselves. The other 68 bytes are represented by
 * the characters from U+0100 on, in order. For example, a space is written {@code Ġ}. Source:
 * GPT-2's {@code bytes_to_unicode}.
 */
final class ByteAlphabet {
  static final int BYTES = 256;
  private static final int FIRST_SUBSTITUTE = 0x100;

  private static final char[] CHAR_OF_BYTE = new char[BYTES];
  private static final short[] BYTE_OF_CHAR = new short[FIRST_SUBSTITUTE + BYTES];

  static {
    Arrays.fill(BYTE_OF_CHAR, (short) -1);
    int substitute = FIRST_SUBSTITUTE;
    for (int b = 0; b < BYTES; b++) {
      boolean printable = b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
      CHAR_OF_BYTE[b] = (char) (printable ? b : substitute++);
      BYTE_OF_CHAR[CHAR_OF_BYTE[b]] = (short) b;
    }
  }

  private ByteAlphabet() {}

  static char charOf(int b) {
    return CHAR_OF_BYTE[b];
  }

  /** Returns the byte of a character, 0 to 255, or −1 if the character represents no byte. */
  static int byteOf(char c) {
    return c < BYTE_OF_CHAR.length ? BYTE_OF_CHAR[c] : -1;
  }
}
