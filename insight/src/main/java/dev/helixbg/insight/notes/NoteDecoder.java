package dev.helixbg.insight.notes;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Decodes the bytes of a file from any program to text. A byte order mark decides between UTF-8 and
 * UTF-16. A file without a mark but with many zero bytes is UTF-16, in which every other byte of
 * Latin text is zero. Any other file is UTF-8 if all or most of its bytes are valid; otherwise it
 * is decoded as Windows-1252. If most of the letters are then not ASCII, the file is not text.
 * U+FFFD replaces invalid bytes and control characters, and each line ends with {@code \n}.
 */
public final class NoteDecoder {
  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

  /** Maximum percentage of control characters in a text; binary data has more. */
  private static final int MAX_CONTROLS = 2;

  /** Number added to a text's length, so that a short text may have one control character. */
  private static final int SHORT = 50;

  private static final Pattern CONTROL =
      Pattern.compile("[\\x00-\\x08\\x0b\\x0e-\\x1a\\x1c-\\x1f]");

  private NoteDecoder() {}

  /** Returns the text; empty if the bytes are not text. */
  static Optional<String> text(byte[] bytes) {
    return decoded(bytes)
        .map(text -> text.replace("\r\n", "\n").replace('\r', '\n'))
        .map(text -> CONTROL.matcher(text).replaceAll("\uFFFD"));
  }

  private static Optional<String> decoded(byte[] bytes) {
    if (startsWith(bytes, 0xef, 0xbb, 0xbf)) {
      return Optional.of(new String(bytes, 3, bytes.length - 3, StandardCharsets.UTF_8));
    }
    if (startsWith(bytes, 0xfe, 0xff)
        || startsWith(bytes, 0xff, 0xfe) && !startsWith(bytes, 0xff, 0xfe, 0, 0)) {
      return Optional.of(new String(bytes, StandardCharsets.UTF_16));
    }
    int[] zeros = new int[2];
    for (int i = 0; i < bytes.length; i++) {
      zeros[i & 1] += bytes[i] == 0 ? 1 : 0;
    }
    boolean wide = zeros[0] * zeros[1] == 0 && 4 * (zeros[0] + zeros[1]) > bytes.length;
    Charset utf16 = zeros[1] > 0 ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE;
    Optional<String> text =
        wide && bytes.length % 2 == 0 ? Optional.of(new String(bytes, utf16)) : narrow(bytes);
    return text.filter(NoteDecoder::isText);
  }

  private static boolean isText(String text) {
    long controls = CONTROL.matcher(text).results().count();
    return 100 * controls <= (long) MAX_CONTROLS * (text.length() + SHORT);
  }

  private static Optional<String> narrow(byte[] bytes) {
    Optional<String> sound = utf8(bytes);
    if (sound.isPresent()) {
      return sound;
    }
    String utf8 = new String(bytes, StandardCharsets.UTF_8);
    long damaged = utf8.chars().filter(c -> c == '\uFFFD').count();
    long whole = utf8.chars().filter(c -> c > 0x7f && c != '\uFFFD').count();
    return whole > damaged
        ? Optional.of(utf8)
        : Optional.of(new String(bytes, WINDOWS_1252)).filter(NoteDecoder::isWestern);
  }

  /** Decodes UTF-8; empty if any of the bytes are not valid UTF-8. */
  public static Optional<String> utf8(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** Whether most letters are ASCII. In text of cp1251, KOI8-R or GBK, they are not. */
  private static boolean isWestern(String text) {
    long letters = text.chars().filter(Character::isLetter).count();
    return 2 * text.chars().filter(c -> c > 0x7f && Character.isLetter(c)).count() <= letters;
  }

  private static boolean startsWith(byte[] bytes, int... mark) {
    return bytes.length >= mark.length
        && IntStream.range(0, mark.length).allMatch(i -> (bytes[i] & 0xff) == mark[i]);
  }
}
