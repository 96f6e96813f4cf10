package dev.helixbg.embed;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import ai.onnxruntime.OrtException;
import dev.helixbg.config.text.PrintableText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Turns texts into token ids with HuggingFace's library; many threads may use a tokenizer at once.
 */
record Tokenizer(long handle, int maxTokens) implements AutoCloseable {
  /**
   * Number of characters of a text that are tokenized at first, per allowed token. Without this
   * limit, a text of many megabytes would become millions of tokens.
   */
  private static final int CHARS_PER_TOKEN = 32;

  /** Opens a file made by {@link TokenizerFile}; texts are cut at {@code maxTokens}. */
  static Tokenizer open(Path file, int maxTokens) throws IOException {
    TokenizersLibrary library = TokenizersLibrary.LIB;
    long handle;
    try {
      handle = library.createTokenizerFromString(Files.readString(file));
    } catch (RuntimeException e) {
      throw new EmbeddingException(
          "the tokenizer " + file + " cannot be used: " + e.getMessage(), e);
    }
    library.disablePadding(handle);
    library.setTruncation(handle, maxTokens, "LONGEST_FIRST", 0);
    return new Tokenizer(handle, maxTokens);
  }

  interface Maker<M> {
    M with(Tokenizer tokenizer) throws IOException, OrtException;
  }

  /** Makes an object that will close this tokenizer. After a failure, closes the tokenizer. */
  <M> M into(Maker<M> maker) throws IOException, OrtException {
    try {
      return maker.with(this);
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /** Returns the token ids of a text, including special tokens; at most {@code maxTokens} ids. */
  int[] ids(String text) {
    for (long length = maxTokens * CHARS_PER_TOKEN; length < text.length(); length *= 2) {
      int cut = lastWhitespace(text, (int) length);
      int[] ids = cut < 0 ? new int[0] : encode(text.substring(0, cut));
      if (ids.length == maxTokens) {
        return ids;
      }
    }
    return encode(text);
  }

  @Override
  public void close() {
    TokenizersLibrary.LIB.deleteTokenizer(handle);
  }

  private int[] encode(String text) {
    TokenizersLibrary library = TokenizersLibrary.LIB;
    long encoding = library.encode(handle, PrintableText.wellFormed(text), true);
    try {
      return Arrays.stream(library.getTokenIds(encoding)).mapToInt(id -> (int) id).toArray();
    } finally {
      library.deleteEncoding(encoding);
    }
  }

  private static int lastWhitespace(String text, int before) {
    int at = before;
    while (at >= 0 && !Character.isWhitespace(text.charAt(at))) {
      at--;
    }
    return at;
  }
}
