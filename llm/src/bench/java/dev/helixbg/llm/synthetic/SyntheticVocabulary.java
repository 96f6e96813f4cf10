package dev.helixbg.llm.synthetic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A byte-level vocabulary of Qwen3's size: all single bytes, all pairs of bytes, some triples, and
 * Qwen3's special tokens at their ids. Each longer token has the merge that makes it.
 */
final class SyntheticVocabulary {
  static final int SIZE = 151_936;
  static final int END_OF_TURN = 151_645;

  private static final int FIRST_SPECIAL = 151_643;
  private static final int NORMAL_KIND = 1;
  private static final int CONTROL_KIND = 3;
  private static final int UNUSED_KIND = 5;
  private static final List<String> SPECIAL =
      List.of("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>");

  final List<String> tokens = new ArrayList<>(SIZE);
  final List<String> merges = new ArrayList<>(SIZE);
  final int[] kinds = new int[SIZE];

  SyntheticVocabulary() {
    List<String> bytes = alphabet();
    tokens.addAll(bytes);
    addProducts(bytes, bytes);
    addProducts(tokens.subList(bytes.size(), tokens.size()), bytes);
    Arrays.fill(kinds, 0, FIRST_SPECIAL, NORMAL_KIND);
    tokens.addAll(SPECIAL);
    Arrays.fill(kinds, FIRST_SPECIAL, tokens.size(), CONTROL_KIND);
    Arrays.fill(kinds, tokens.size(), SIZE, UNUSED_KIND);
    for (int id = tokens.size(); id < SIZE; id++) {
      tokens.add("[PAD" + id + "]");
    }
  }

  /** Returns the byte-level alphabet: printable Latin-1, and 68 characters from U+0100 on. */
  private static List<String> alphabet() {
    List<String> alphabet = new ArrayList<>();
    for (char c = '!'; c < 0x100 + 68; c++) {
      boolean printable = c <= '~' || c >= 0xA1 && c != 0xAD;
      if (printable) {
        alphabet.add(String.valueOf(c));
      }
    }
    return alphabet;
  }

  private void addProducts(List<String> heads, List<String> tails) {
    for (String head : List.copyOf(heads)) {
      for (String tail : tails) {
        if (tokens.size() == FIRST_SPECIAL) {
          return;
        }
        tokens.add(head + tail);
        merges.add(head + " " + tail);
      }
    }
  }
}
