package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.BitSet;

/**
 * The merges of a vocabulary, and which of them a text can need.
 *
 * <p>Byte-pair encoding works on one word at a time, and a merge joins two neighbours: only where
 * its result is a part of the word can it happen, and leaving out all others changes nothing.
 */
final class BpeMerges {
  /** Pairs of tokens with a space between them, the first merged first. */
  private final GgufStrings texts;

  private final TokenIndex tokens;

  /**
   * By token: the last merge that makes it, plus one; 0 for none. Of tokens with the same text, any
   * one may hold it.
   */
  private final int[] makers;

  /** By merge: the one before it that makes the same token, plus one. */
  private final int[] next;

  /** By the first byte of what a merge makes: bytes of the longest. */
  private final int[] longest = new int[1 << Byte.SIZE];

  /** The token that the next merge makes, in most files. */
  private int expected;

  private byte[] scratch = new byte[64];

  /**
   * Merges of tokens.
   *
   * @param texts pairs of tokens with a space between them, the first merged first
   * @throws IllegalArgumentException if one of them is no such pair, or makes no token
   */
  BpeMerges(GgufStrings texts, TokenIndex tokens) {
    this.texts = texts;
    this.tokens = tokens;
    makers = new int[tokens.size()];
    next = new int[texts.size()];
    for (int i = 0; i < next.length; i += GgufStrings.BATCH) {
      add(i, Math.min(next.length, i + GgufStrings.BATCH));
    }
  }

  /**
   * That both parts of a merge are tokens is not looked up here: those that can become neighbours
   * are single bytes or the results of other merges, and so were found.
   */
  private void add(int firstMerge, int endMerge) {
    byte[] utf8 = texts.utf8();
    for (int merge = firstMerge; merge < endMerge; merge++) {
      int start = texts.start(merge);
      int end = texts.end(merge);
      int space = indexOfSpace(utf8, start, end);
      boolean isPair = space > start && space < end - 1;
      if (!isPair || indexOfSpace(utf8, space + 1, end) < end) {
        throw wrong(merge, "is not two tokens with a space between them");
      }
      int made = made(utf8, start, space, end);
      if (made < 0) {
        throw wrong(merge, "makes what is no token");
      }
      expected = made + 1;
      next[merge] = makers[made];
      makers[made] = merge + 1;
      int first = utf8[start] & 0xFF;
      longest[first] = Math.max(longest[first], end - start - 1);
    }
  }

  private IllegalArgumentException wrong(int merge, String what) {
    return new IllegalArgumentException(
        "merge %d, \"%s\", %s".formatted(merge, texts.get(merge), what));
  }

  private static int indexOfSpace(byte[] utf8, int start, int end) {
    int i = start;
    while (i < end && utf8[i] != ' ') {
      i++;
    }
    return i;
  }

  private int made(byte[] utf8, int start, int space, int end) {
    // A search is a few misses of the processor's cache.
    return expected < makers.length && tokens.isTextWithout(space, expected, utf8, start, end)
        ? expected
        : tokens.find(joined(utf8, start, space, end), 0, end - start - 1);
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

  /** A merge as the file has it. */
  String text(int merge) {
    return texts.get(merge);
  }

  /**
   * Notes what can happen in a word.
   *
   * @param word in UTF-8 of the {@link ByteAlphabet}
   * @param needed gets the merges
   * @param used gets the tokens that they join and make
   * @throws TokenizerException if a merge joins what is no token
   */
  void addPossible(byte[] word, BitSet needed, BitSet used) {
    for (int start = 0; start < word.length; start++) {
      int hash = 0;
      int end = Math.min(word.length, start + longest[word[start] & 0xFF]);
      for (int i = start; i < end; i++) {
        hash = TokenIndex.hash(hash, word[i]);
        int made = tokens.find(hash, word, start, i + 1);
        for (int id = made; id >= 0; id = tokens.findBefore(id, word, start, i + 1)) {
          int last = makers[id] - 1;
          if (last >= 0 && !needed.get(last)) {
            addAll(last, made, needed, used);
          }
        }
      }
    }
  }

  private void addAll(int last, int made, BitSet needed, BitSet used) {
    used.set(made);
    for (int merge = last; merge >= 0; merge = next[merge] - 1) {
      add(merge, needed, used);
    }
  }

  private void add(int merge, BitSet needed, BitSet used) {
    int start = texts.start(merge);
    int end = texts.end(merge);
    int space = indexOfSpace(texts.utf8(), start, end);
    int left = tokens.find(texts.utf8(), start, space);
    int right = tokens.find(texts.utf8(), space + 1, end);
    if (left < 0 || right < 0) {
      throw new TokenizerException(
          "the model's vocabulary cannot be used: "
              + wrong(merge, "joins what is no token").getMessage());
    }
    needed.set(merge);
    used.set(left);
    used.set(right);
  }
}
