package dev.helixbg.llm.tokenizer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Splits texts into the words that tokens are merged in, by the native library: its tokenizer knows
 * only the 256 bytes, and tells for each which word it is in.
 */
final class PreTokenizer implements AutoCloseable {

  private final NativeTokenizer bytes;

  PreTokenizer() {
    TokenizerJson json = TokenizerJson.ofTexts();
    for (int b = 0; b < ByteAlphabet.BYTES; b++) {
      json.token(String.valueOf(ByteAlphabet.charOf(b)), b);
    }
    bytes = NativeTokenizer.of(json.toString());
  }

  /**
   * A text in words.
   *
   * @param different words in the {@link ByteAlphabet}, each once
   * @param order of the text: places in {@code different}
   */
  record Words(List<String> different, int[] order) {

    /** The tokens of the text, given those of the different words. */
    int[] inOrder(NativeTokenizer.Encoded encoded) {
      int[] starts = new int[different.size() + 1];
      for (int word : encoded.words()) {
        starts[word + 1]++;
      }
      for (int word = 0; word < different.size(); word++) {
        starts[word + 1] += starts[word];
      }
      IntStream.Builder ids = IntStream.builder();
      for (int word : order) {
        for (int i = starts[word]; i < starts[word + 1]; i++) {
          ids.add(encoded.ids()[i]);
        }
      }
      return ids.build().toArray();
    }
  }

  /** Splits a text without lone surrogates. */
  Words split(String text) {
    NativeTokenizer.Encoded encoded = bytes.encode(text);
    int[] ids = encoded.ids();
    int[] words = encoded.words();
    int[] order = new int[ids.length == 0 ? 0 : words[ids.length - 1] + 1];
    Map<String, Integer> places = new LinkedHashMap<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < ids.length; i++) {
      word.append(ByteAlphabet.charOf(ids[i]));
      if (i + 1 == ids.length || words[i + 1] != words[i]) {
        Integer known = places.putIfAbsent(word.toString(), places.size());
        order[words[i]] = known == null ? places.size() - 1 : known;
        word.setLength(0);
      }
    }
    return new Words(List.copyOf(places.keySet()), order);
  }

  @Override
  public void close() {
    bytes.close();
  }
}
