package dev.helixbg.llm.gguf;

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

  /** Texts as in the file: a length, then as many bytes of UTF-8. */
  private final byte[] utf8;

  /** Where each text begins, and where one more would. */
  private final int[] starts;

  GgufStrings(byte[] utf8, int[] starts) {
    this.utf8 = utf8;
    this.starts = starts;
  }

  /** Returns a text, with U+FFFD for what is not UTF-8. */
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
    return starts[index + 1] - Long.BYTES;
  }
}
