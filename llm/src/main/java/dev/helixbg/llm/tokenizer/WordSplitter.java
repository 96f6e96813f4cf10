package dev.helixbg.llm.tokenizer;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Splits texts into the words that tokens are merged in, by the native library: its tokenizer knows
 * only the 256 bytes, and tells for each which word it is in.
 */
final class WordSplitter implements AutoCloseable {
  private static final int BYTES = 256;

  private final NativeTokenizer bytes;

  WordSplitter() {
    TokenizerJson json = new TokenizerJson();
    for (int b = 0; b < BYTES; b++) {
      json.token(String.valueOf(ByteAlphabet.charOf(b)), b);
    }
    bytes = NativeTokenizer.of(json.toString());
  }

  /** The different words of a text without lone surrogates, in the {@link ByteAlphabet}. */
  Set<String> words(String text) {
    NativeTokenizer.Encoded encoded = bytes.encode(text);
    int[] ids = encoded.ids();
    int[] words = encoded.words();
    Set<String> different = new LinkedHashSet<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < ids.length; i++) {
      word.append(ByteAlphabet.charOf(ids[i]));
      if (i + 1 == ids.length || words[i + 1] != words[i]) {
        different.add(word.toString());
        word.setLength(0);
      }
    }
    return different;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
