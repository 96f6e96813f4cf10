package dev.helixbg.llm.gguf;

import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.RandomAccess;
import java.util.stream.IntStream;

/**
 * The strings of an array, copied from the file as one byte array. A vocabulary has over a hundred
 * thousand strings; few of them are ever needed as a {@link String}. Malformed UTF-8 becomes
 * U+FFFD.
 */
public final class GgufStrings extends AbstractList<String> implements RandomAccess {
  /** Bytes from the file: for each string, its length in bytes, then its text in UTF-8. */
  private final byte[] utf8;

  /** Starts of the texts; see {@link GgufCursor#skipStrings}. */
  private final int[] starts;

  GgufStrings(byte[] utf8, int[] starts) {
    this.utf8 = utf8;
    this.starts = starts;
  }

  @Override
  public String get(int index) {
    return new String(utf8, start(index), end(index) - start(index), StandardCharsets.UTF_8);
  }

  /** Searches by comparing bytes, which is much faster than making a String of each element. */
  @Override
  public boolean contains(Object text) {
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    return IntStream.range(0, size())
        .anyMatch(i -> Arrays.equals(utf8, start(i), end(i), bytes, 0, bytes.length));
  }

  @Override
  public int size() {
    return starts.length - 1;
  }

  /** Returns the bytes of all strings, as stored in the file. The array must not be changed. */
  public byte[] utf8() {
    return utf8;
  }

  public int start(int index) {
    return starts[index];
  }

  public int end(int index) {
    return starts[index + 1] - Long.BYTES;
  }
}
