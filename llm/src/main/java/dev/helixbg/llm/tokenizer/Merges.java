package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.BitSet;

/**
 * The merges of a vocabulary by the ids of their tokens, and which of them a text can need.
 *
 * <p>Byte-pair encoding works on one word at a time, and a merge joins two neighbours: only where
 * its result is a part of the word can it happen, and leaving out all others changes nothing.
 */
final class Merges {
  /** See {@link GgufStrings}: methods are compiled sooner than loops. */
  private static final int BATCH = 256;

  private final TokenIndex tokens;

  /** By merge, the first merged first: the ids of its two tokens. */
  private final int[] left;

  private final int[] right;

  /** By token: the last merge that makes it, plus one; 0 for none. */
  private final int[] makers;

  /** By merge: the one before it that makes the same token, plus one. */
  private final int[] next;

  /** Bytes of the longest token that a merge makes. */
  private int longest;

  private byte[] scratch = new byte[64];

  private Merges(TokenIndex tokens, int tokenCount, int count) {
    this.tokens = tokens;
    left = new int[count];
    right = new int[count];
    makers = new int[tokenCount];
    next = new int[count];
  }

  /**
   * Reads merges.
   *
   * @param texts pairs of tokens with a space between them, the first merged first
   * @throws IllegalArgumentException if one of them is no such pair, or makes no token
   */
  static Merges of(GgufStrings texts, TokenIndex tokens, int tokenCount) {
    Merges merges = new Merges(tokens, tokenCount, texts.size());
    for (int i = 0; i < texts.size(); i += BATCH) {
      int wrong = merges.add(texts, i, Math.min(texts.size(), i + BATCH));
      if (wrong >= 0) {
        throw new IllegalArgumentException(
            "merge %d, \"%s\", is not two tokens with a space between them that make a third"
                .formatted(wrong, texts.get(wrong)));
      }
    }
    return merges;
  }

  /** Returns the first that is wrong, or −1. */
  private int add(GgufStrings texts, int from, int to) {
    byte[] utf8 = texts.utf8();
    for (int merge = from; merge < to; merge++) {
      int start = texts.start(merge);
      int end = texts.end(merge);
      int space = indexOfSpace(utf8, start, end);
      if (space == end || indexOfSpace(utf8, space + 1, end) < end) {
        return merge;
      }
      int length = end - start - 1;
      int made = tokens.find(joined(utf8, start, space, end), 0, length);
      left[merge] = tokens.find(utf8, start, space);
      right[merge] = tokens.find(utf8, space + 1, end);
      if (made < 0 || left[merge] < 0 || right[merge] < 0) {
        return merge;
      }
      next[merge] = makers[made];
      makers[made] = merge + 1;
      longest = Math.max(longest, length);
    }
    return -1;
  }

  private static int indexOfSpace(byte[] utf8, int from, int to) {
    int i = from;
    while (i < to && utf8[i] != ' ') {
      i++;
    }
    return i;
  }

  /** The bytes around a space. */
  private byte[] joined(byte[] utf8, int start, int space, int end) {
    if (scratch.length < end - start) {
      scratch = new byte[2 * (end - start)];
    }
    int to = 0;
    for (int i = start; i < end; i++) {
      if (i != space) {
        scratch[to++] = utf8[i];
      }
    }
    return scratch;
  }

  /** The id of a merge's first token. */
  int left(int merge) {
    return left[merge];
  }

  /** The id of a merge's second token. */
  int right(int merge) {
    return right[merge];
  }

  /**
   * Notes what can happen in a word.
   *
   * @param word in UTF-8 of the {@link ByteAlphabet}
   * @param needed gets the merges
   * @param made gets the tokens that they make
   */
  void addPossible(byte[] word, BitSet needed, BitSet made) {
    for (int start = 0; start < word.length; start++) {
      int hash = 0;
      int end = Math.min(word.length, start + longest);
      for (int i = start; i < end; i++) {
        hash = TokenIndex.hash(hash, word[i]);
        int id = tokens.find(hash, word, start, i + 1);
        if (id >= 0 && makers[id] > 0) {
          made.set(id);
          for (int merge = makers[id] - 1; merge >= 0; merge = next[merge] - 1) {
            needed.set(merge);
          }
        }
      }
    }
  }
}
