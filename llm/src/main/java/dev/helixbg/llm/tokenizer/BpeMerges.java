package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufStrings;
import java.util.PriorityQueue;
import java.util.function.IntConsumer;

/** Byte-pair encoding: the merges of a vocabulary, indexed by the token that they make. */
final class BpeMerges {
  /** Maximum number of different merges that make the same token. */
  private static final int MOST_OF_A_TOKEN = 100;

  /** Merges, each of two tokens with a space between them. Earlier merges are applied first. */
  private final GgufStrings texts;

  private final TokenIndex tokens;

  /**
   * For each token, the number of the last merge that makes the token, plus one; 0 if no merge
   * makes it. If several tokens have the same text, only one of these tokens has a merge here; it
   * is undefined which one.
   */
  private final int[] makers;

  /**
   * For each merge, the number of the previous merge that makes the same token from other parts,
   * plus one; 0 if there is none.
   */
  private final int[] next;

  /**
   * For each byte, the length in bytes of the longest token that begins with this byte and that a
   * merge makes.
   */
  private final int[] longest = new int[1 << Byte.SIZE];

  /**
   * Token that the next merge probably makes. In most files, this token follows the token that the
   * last merge makes.
   */
  private int expected;

  private byte[] scratch = new byte[64];

  /**
   * @throws IllegalArgumentException if a merge is not two parts with a space, or makes no token
   */
  BpeMerges(GgufStrings texts, TokenIndex tokens) {
    this.texts = texts;
    this.tokens = tokens;
    makers = new int[tokens.size()];
    next = new int[texts.size()];
    byte[] counts = new byte[makers.length];
    for (int i = 0; i < next.length; i += GgufStrings.BATCH) {
      add(i, Math.min(next.length, i + GgufStrings.BATCH), counts);
    }
  }

  /**
   * Adds merges, without a check that the parts of each merge are tokens. If a part is not a token,
   * the merge is never applied, because neighbours are always tokens.
   */
  private void add(int firstMerge, int endMerge, byte[] counts) {
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
        throw wrong(merge, "makes a text that is not a token of the vocabulary");
      }
      expected = made + 1;
      int last = makers[made] - 1;
      boolean isSame = last >= 0 && space(last) == space - start;
      if (!isSame && ++counts[made] > MOST_OF_A_TOKEN) {
        throw wrong(merge, "is one of too many that make the same token");
      }
      next[merge] = isSame ? next[last] : makers[made];
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
    // The expected token is tried first, since a search costs several cache misses.
    return expected < makers.length && tokens.isTextWithout(space, expected, utf8, start, end)
        ? expected
        : tokens.find(joined(utf8, start, space, end), 0, end - start - 1);
  }

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

  /**
   * Passes the tokens of a word to {@code ids}. Repeatedly joins the neighbours with the earliest
   * merge, until no merge applies. If several neighbours have that merge, the leftmost are joined
   * first.
   *
   * @param word the word in the {@link ByteAlphabet}, as UTF-8
   */
  void encode(byte[] word, IntConsumer ids) {
    new Word(word).encode(ids);
  }

  /**
   * Returns the last merge in the file that joins two given neighbours, or −1 if there is none.
   *
   * @param middle start of the second neighbour
   */
  private int find(byte[] word, int start, int middle, int end) {
    if (end - start > longest[word[start] & 0xFF]) {
      return -1;
    }
    int found = -1;
    int id = tokens.find(word, start, end);
    for (; id >= 0; id = tokens.findBefore(id, word, start, end)) {
      int merge = makers[id] - 1;
      while (merge >= 0 && space(merge) != middle - start) {
        merge = next[merge] - 1;
      }
      found = Math.max(found, merge);
    }
    return found;
  }

  /** Returns the number of bytes before a merge's space. */
  private int space(int merge) {
    int start = texts.start(merge);
    return indexOfSpace(texts.utf8(), start, texts.end(merge)) - start;
  }

  /** A word while its parts are joined. A part is identified by the position of its first byte. */
  private final class Word {
    private static final int NONE = -1;

    private final byte[] utf8;

    /**
     * For each part, the start of the next part. The next two fields have the start of the previous
     * part, and the merge that joins the part with the next part.
     */
    private final int[] following;

    private final int[] previous;
    private final int[] merges;

    /**
     * Possible merges, the earliest first; some are outdated. In each number, the upper 32 bits are
     * the merge, and the lower 32 bits are the first of the two parts.
     */
    private final PriorityQueue<Long> open = new PriorityQueue<>();

    Word(byte[] utf8) {
      this.utf8 = utf8;
      following = new int[utf8.length];
      previous = new int[utf8.length];
      merges = new int[utf8.length];
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
        if (merges[(int) first] == first >> Integer.SIZE) {
          join((int) first);
        }
      }
      for (int at = 0; at < utf8.length; at = following[at]) {
        ids.accept(tokens.find(utf8, at, following[at]));
      }
    }

    private void look(int at) {
      int middle = following[at];
      merges[at] = middle < utf8.length ? find(utf8, at, middle, following[middle]) : NONE;
      if (merges[at] != NONE) {
        open.add((long) merges[at] << Integer.SIZE | at);
      }
    }

    private void join(int at) {
      int joined = following[at];
      merges[joined] = NONE;
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
