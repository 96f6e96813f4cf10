package dev.helixbg.llm.gguf;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.RandomAccess;

/**
 * The strings of an array, copied out of the file in one piece: of a hundred thousand tokens, few
 * are ever wanted as a {@link String}.
 */
public final class GgufStrings extends AbstractList<String> implements RandomAccess {
  /**
   * How many strings one call should walk over: a method is compiled after its first hundred calls,
   * a loop only after sixty thousand rounds, and a fresh process has no time for those.
   */
  public static final int BATCH = 256;

  private static final int LENGTH_BYTES = Long.BYTES;

  /** Texts as in the file: a length, then as many bytes of UTF-8. */
  private final byte[] utf8;

  /** Where each text begins, and where one more would. */
  private final int[] starts;

  private GgufStrings(byte[] utf8, int count) {
    this.utf8 = utf8;
    starts = new int[count + 1];
  }

  /**
   * Reads strings.
   *
   * @param cursor at the first
   * @param bytes of all of them, with their lengths
   * @throws GgufException if one of them is not UTF-8
   */
  static GgufStrings read(GgufCursor cursor, int count, int bytes) {
    GgufStrings strings = new GgufStrings(cursor.copy().bytes(bytes), count);
    int at = 0;
    for (int i = 0; i < count; i += BATCH) {
      at = strings.walk(i, Math.min(count, i + BATCH), at);
      if (at < 0) {
        throw firstError(cursor.copy(), count);
      }
    }
    strings.starts[count] = at + LENGTH_BYTES;
    return strings;
  }

  /** Notes where strings begin, the first at {@code offset}; returns where the next is, or −1. */
  private int walk(int first, int limit, int offset) {
    int end = offset;
    for (int i = first; i < limit; i++) {
      int start = end + LENGTH_BYTES;
      if (start > utf8.length) {
        return -1;
      }
      int length =
          utf8[end] & 0xFF
              | (utf8[end + 1] & 0xFF) << 8
              | (utf8[end + 2] & 0xFF) << 16
              | utf8[end + 3] << 24;
      int high = utf8[end + 4] | utf8[end + 5] | utf8[end + 6] | utf8[end + 7];
      // The file was checked before, but may have been written to since.
      boolean fits = high == 0 && length >= 0 && length <= utf8.length - start;
      if (!fits || !isUtf8(start, start + length)) {
        return -1;
      }
      starts[i] = start;
      end = start + length;
    }
    return end;
  }

  private boolean isUtf8(int start, int end) {
    int i = start;
    while (i < end) {
      byte b = utf8[i];
      if (b >= 0) {
        i++;
      } else if (b >= (byte) 0xC2 && b < (byte) 0xE0 && i + 1 < end && utf8[i + 1] < (byte) 0xC0) {
        i += 2;
      } else {
        return isUtf8ByDecoder(start, end);
      }
    }
    return true;
  }

  /** For longer sequences, which byte-level vocabularies hardly have. */
  private boolean isUtf8ByDecoder(int start, int end) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8, start, end - start));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Reads field by field, so that the error tells the place. */
  private static GgufException firstError(GgufCursor cursor, int count) {
    for (int i = 0; i < count; i++) {
      cursor.string();
    }
    return cursor.error("the file was written to while it was read");
  }

  @Override
  public String get(int index) {
    return new String(utf8, start(index), end(index) - start(index), StandardCharsets.UTF_8);
  }

  @Override
  public int size() {
    return starts.length - 1;
  }

  /** All texts, with lengths between them; not to be changed. */
  public byte[] utf8() {
    return utf8;
  }

  /** Where a text begins in {@link #utf8}. */
  public int start(int index) {
    return starts[index];
  }

  /** Where a text ends in {@link #utf8}. */
  public int end(int index) {
    return starts[index + 1] - LENGTH_BYTES;
  }
}
