package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;

/** Byte-pair encoding: merges a word's characters into tokens, as a vocabulary prescribes. */
final class BpeMerges {
  private static final int NONE = -1;

  /**
   * Merges, each written as two tokens with a space between them. If several merges are possible,
   * the merge with the lowest index is applied first.
   */
  private final TextIndex merges;

  private final TextIndex tokens;

  BpeMerges(GgufStrings texts, TextIndex tokens) {
    merges = new TextIndex(texts, merge -> requirePair(texts, merge));
    this.tokens = tokens;
  }

  private static boolean requirePair(GgufStrings texts, int merge) {
    int start = texts.start(merge);
    int end = texts.end(merge);
    int space = indexOfSpace(texts.utf8(), start, end);
    if (space == start || space >= end - 1 || indexOfSpace(texts.utf8(), space + 1, end) < end) {
      throw new IllegalArgumentException(
          "merge %d, \"%s\", is not two tokens with a space between them"
              .formatted(merge, texts.get(merge)));
    }
    return true;
  }

  private static int indexOfSpace(byte[] utf8, int start, int end) {
    int i = start;
    while (i < end && utf8[i] != ' ') {
      i++;
    }
    return i;
  }

  /**
   * Passes the tokens of a word to {@code ids}. Repeatedly applies the earliest merge that joins
   * two neighbouring parts, until no merge applies. If that merge applies at several places, the
   * leftmost place comes first.
   *
   * @param word the word in the {@link ByteAlphabet}, as UTF-8
   */
  void encode(byte[] word, IntConsumer ids) {
    new Word(word).encode(ids);
  }

  /** A word while its parts are joined. A part is identified by the position of its first byte. */
  private final class Word {
    private final byte[] utf8;

    /** Memory for the text of a merge. */
    private final byte[] pair;

    // For each part: the start of the next part, the start of the previous part, and the merge that
    // joins the part with the next part.
    private final int[] following;
    private final int[] previous;
    private final int[] joins;

    /**
     * Possible merges: the merge's index (upper 32 bits) and the part to join with the next part
     * (lower 32 bits). Some are outdated.
     */
    private final PriorityQueue<Long> open = new PriorityQueue<>();

    Word(byte[] utf8) {
      this.utf8 = utf8;
      pair = new byte[utf8.length + 1];
      following = new int[utf8.length];
      previous = new int[utf8.length];
      joins = new int[utf8.length];
    }

    void encode(IntConsumer ids) {
      int before = NONE;
      for (int at = 0; at < utf8.length; at = following[at]) {
        previous[at] = before;
        following[at] = at + (utf8[at] < 0 ? 2 : 1); // no character of the alphabet is longer
        before = at;
      }
      for (int at = 0; at < utf8.length; at = following[at]) {
        look(at);
      }
      while (!open.isEmpty()) {
        long first = open.remove();
        if (joins[(int) first] == first >> Integer.SIZE) {
          join((int) first);
        }
      }
      for (int at = 0; at < utf8.length; at = following[at]) {
        ids.accept(tokens.find(utf8, at, following[at]));
      }
    }

    /** Looks for a merge that joins the part {@code at} and the next part into a token. */
    private void look(int at) {
      int middle = following[at];
      joins[at] = NONE;
      if (middle < utf8.length) {
        int end = following[middle];
        int merge = find(at, middle, end);
        if (merge != NONE && tokens.find(utf8, at, end) != NONE) {
          joins[at] = merge;
          open.add((long) merge << Integer.SIZE | at);
        }
      }
    }

    private int find(int start, int middle, int end) {
      System.arraycopy(utf8, start, pair, 0, middle - start);
      pair[middle - start] = ' ';
      System.arraycopy(utf8, middle, pair, middle - start + 1, end - middle);
      return merges.find(pair, 0, end - start + 1);
    }

    private void join(int at) {
      int joined = following[at];
      joins[joined] = NONE;
      following[at] = following[joined];
      if (following[at] < utf8.length) {
        previous[following[at]] = at;
      }
      look(at);
      if (previous[at] != NONE) {
        look(previous[at]);
      }
    }
  }
}
