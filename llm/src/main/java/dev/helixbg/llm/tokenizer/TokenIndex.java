package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.Arrays;

/** Finds the ids of ordinary tokens by their text, with a hash table of two arrays. */
final class TokenIndex {
  /** Prime of the hash FNV-1a. */
  private static final int FNV_PRIME = 0x01000193;

  /** Multiplier that spreads a hash over its upper bits: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /**
   * Maximum number of tokens with the same hash. Real vocabularies have fewer than ten; the limit
   * refuses files that would make every search slow.
   */
  private static final int MOST_AT_A_PLACE = 100;

  private final GgufStrings tokens;
  private final byte[] utf8;
  private final int shift;

  /** For each hash, the last token with that hash, plus one; 0 for none. */
  private final int[] heads;

  /** For each token, the previous token with the same hash, plus one; −1 if not indexed. */
  private final int[] next;

  /**
   * @throws IllegalArgumentException if far more tokens have the same hash than expected by chance
   */
  TokenIndex(GgufStrings tokens, byte[] kinds) {
    this.tokens = tokens;
    utf8 = tokens.utf8();
    int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(tokens.size()));
    shift = Integer.SIZE - bits;
    heads = new int[1 << bits];
    next = new int[tokens.size()];
    byte[] counts = new byte[heads.length];
    for (int id = 0; id < next.length; id += GgufStrings.BATCH) {
      add(id, Math.min(next.length, id + GgufStrings.BATCH), kinds, counts);
    }
  }

  private void add(int firstId, int endId, byte[] kinds, byte[] counts) {
    for (int id = firstId; id < endId; id++) {
      if (kinds[id] == Vocabulary.NORMAL) {
        int place = place(hash(utf8, tokens.start(id), tokens.end(id)));
        if (++counts[place] > MOST_AT_A_PLACE) {
          throw new IllegalArgumentException("too many tokens have the same text or the same hash");
        }
        next[id] = heads[place];
        heads[place] = id + 1;
      } else {
        next[id] = -1;
      }
    }
  }

  /** Returns the number of ids, including tokens that are not ordinary. */
  int size() {
    return next.length;
  }

  private int place(int hash) {
    return hash * SPREAD >>> shift;
  }

  private static int hash(byte[] text, int textStart, int textEnd) {
    int hash = 0;
    for (int i = textStart; i < textEnd; i++) {
      hash = (hash ^ text[i]) * FNV_PRIME;
    }
    return hash;
  }

  /** Returns the last token with this text, or −1 if no token has this text. */
  int find(byte[] text, int textStart, int textEnd) {
    int place = place(hash(text, textStart, textEnd));
    return search(heads[place] - 1, text, textStart, textEnd);
  }

  /** Returns the previous token with the same text as {@code id}, or −1. */
  int findBefore(int id, byte[] text, int textStart, int textEnd) {
    return search(next[id] - 1, text, textStart, textEnd);
  }

  private int search(int first, byte[] text, int textStart, int textEnd) {
    int id = first;
    while (id >= 0 && !isText(id, text, textStart, textEnd)) {
      id = next[id] - 1;
    }
    return id;
  }

  private boolean isText(int id, byte[] text, int textStart, int textEnd) {
    return Arrays.equals(utf8, tokens.start(id), tokens.end(id), text, textStart, textEnd);
  }

  /** Returns whether a token equals a text from which the byte at {@code omitted} is removed. */
  boolean isTextWithout(int omitted, int id, byte[] text, int textStart, int textEnd) {
    if (next[id] < 0 || tokens.end(id) - tokens.start(id) != textEnd - textStart - 1) {
      return false;
    }
    int at = tokens.start(id);
    for (int i = textStart; i < textEnd; i++) {
      if (i != omitted && utf8[at++] != text[i]) {
        return false;
      }
    }
    return true;
  }
}
