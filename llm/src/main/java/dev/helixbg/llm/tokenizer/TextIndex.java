package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.Arrays;
import java.util.function.IntPredicate;

/** Finds the indices of a model file's strings by their text, with a hash table of two arrays. */
final class TextIndex {
  /** Prime of the hash FNV-1a. */
  private static final int FNV_PRIME = 0x01000193;

  /** Multiplier that spreads a hash over its upper bits: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /**
   * Maximum number of strings with the same hash. Real vocabularies have fewer than ten; the limit
   * refuses files that would make every search slow.
   */
  private static final int MOST_AT_A_PLACE = 100;

  private final GgufStrings texts;
  private final byte[] utf8;
  private final int shift;

  // For each hash, 1 + the index of the last string with this hash; 0 if there is none.
  private final int[] heads;

  // For each string, 1 + the index of the previous string with the same hash; 0 if there is none.
  private final int[] next;

  /**
   * @param isIndexed returns whether {@link #find} shall find the string with a given index
   * @throws IllegalArgumentException if far more strings have the same hash than expected by chance
   */
  TextIndex(GgufStrings texts, IntPredicate isIndexed) {
    this.texts = texts;
    utf8 = texts.utf8();
    int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(texts.size()));
    shift = Integer.SIZE - bits;
    heads = new int[1 << bits];
    next = new int[texts.size()];
    byte[] counts = new byte[heads.length];
    for (int i = 0; i < next.length; i++) {
      if (isIndexed.test(i)) {
        int place = place(utf8, texts.start(i), texts.end(i));
        if (++counts[place] > MOST_AT_A_PLACE) {
          throw new IllegalArgumentException(
              "too many strings have the same text or the same hash");
        }
        next[i] = heads[place];
        heads[place] = i + 1;
      }
    }
  }

  private int place(byte[] text, int textStart, int textEnd) {
    int hash = 0;
    for (int i = textStart; i < textEnd; i++) {
      hash = (hash ^ text[i]) * FNV_PRIME;
    }
    return hash * SPREAD >>> shift;
  }

  /** Returns the index of the last string with this text, or −1 if no string has this text. */
  int find(byte[] text, int textStart, int textEnd) {
    int i = heads[place(text, textStart, textEnd)] - 1;
    while (i >= 0 && !Arrays.equals(utf8, texts.start(i), texts.end(i), text, textStart, textEnd)) {
      i = next[i] - 1;
    }
    return i;
  }
}
