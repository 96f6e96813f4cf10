package dev.helixbg.llm.gguf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads little-endian fields of a file one after the other, and never past the file's end. Each
 * length that the file states is checked before it is used.
 */
final class GgufCursor {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final String BROKEN_OFF =
      "the download was interrupted, or the file is damaged; download it again";

  private final String file;
  private final MemorySegment bytes;
  private long position;
  private long fieldStart;
  private String name = "";

  GgufCursor(String file, MemorySegment bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  GgufCursor copy() {
    GgufCursor copy = new GgufCursor(file, bytes);
    copy.position = position;
    copy.fieldStart = position;
    copy.name = name;
    return copy;
  }

  long position() {
    return position;
  }

  long fieldStart() {
    return fieldStart;
  }

  long left() {
    return bytes.byteSize() - position;
  }

  /** Sets the name of the key or tensor that later errors mention. */
  void inside(String newName) {
    name = newName;
  }

  GgufException error(String what) {
    return new GgufException(file, what, fieldStart, name);
  }

  int uint8() {
    return Byte.toUnsignedInt(bytes.get(ValueLayout.JAVA_BYTE, advance(Byte.BYTES)));
  }

  short int16() {
    return bytes.get(SHORT, advance(Short.BYTES));
  }

  int int32() {
    return bytes.get(INT, advance(Integer.BYTES));
  }

  long int64() {
    return bytes.get(LONG, advance(Long.BYTES));
  }

  int[] int32s(int count) {
    int[] ints = new int[count];
    long start = advance((long) count * Integer.BYTES);
    MemorySegment.copy(bytes, INT, start, ints, 0, count);
    return ints;
  }

  byte[] bytes(int length) {
    byte[] copy = new byte[length];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, advance(length), copy, 0, length);
    return copy;
  }

  /**
   * Reads a 64-bit number: how many elements follow. The number must be at most {@code limit}, and
   * elements of {@code leastBytes} bytes each must fit into the rest of the file.
   */
  long count(String what, long leastBytes, long limit) {
    long count = int64();
    if (count < 0 || count > left() / leastBytes) {
      throw error(
          "%s is %s, but only %d bytes are left: %s"
              .formatted(what, Long.toUnsignedString(count), left(), BROKEN_OFF));
    }
    if (count > limit) {
      throw error("%s is %d; this program accepts at most %d".formatted(what, count, limit));
    }
    return count;
  }

  /** Reads a string: its length in bytes (64 bits), then UTF-8. Malformed bytes become U+FFFD. */
  String string(String what, int mostBytes) {
    int length = (int) count("the length of " + what, 1, mostBytes);
    return new String(bytes(length), StandardCharsets.UTF_8);
  }

  String name(String what, int mostBytes) {
    String name = string(what, mostBytes);
    if (name.isEmpty()) {
      throw error(what + " is empty");
    }
    return name;
  }

  void skip(GgufType type, long count) {
    advance(count * type.leastBytes());
  }

  /**
   * Skips strings. Returns the start of each text, relative to the position before the call. Each
   * text follows its length, a field of {@code Long.BYTES} bytes. Text i therefore ends {@code
   * Long.BYTES} bytes before the start of text i + 1. The result has an additional last element:
   * the end of the last text plus {@code Long.BYTES}.
   */
  int[] skipStrings(int count) {
    int[] starts = new int[count + 1];
    long first = position;
    for (int i = 0; i < count; i++) {
      long length = count("the length of a string", 1, Long.MAX_VALUE);
      starts[i] = (int) (position - first);
      advance(length);
    }
    starts[count] = (int) (position - first) + Long.BYTES;
    return starts;
  }

  /** Skips {@code length} bytes (not negative) and returns the position of the first of them. */
  private long advance(long length) {
    fieldStart = position;
    if (length > left()) {
      throw error("the file ends inside a field of %d bytes: %s".formatted(length, BROKEN_OFF));
    }
    position += length;
    return fieldStart;
  }
}
