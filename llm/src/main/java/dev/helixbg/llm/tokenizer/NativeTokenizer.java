package dev.helixbg.llm.tokenizer;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.util.concurrent.atomic.AtomicBoolean;

/** A tokenizer of the native library, until {@link #close}. */
final class NativeTokenizer implements AutoCloseable {
  private static final TokenizersLibrary LIBRARY = TokenizersLibrary.LIB;

  private final long handle;
  private final AtomicBoolean closed = new AtomicBoolean();

  private NativeTokenizer(long handle) {
    this.handle = handle;
  }

  /**
   * Makes one.
   *
   * @param json as {@link TokenizerJson} writes it
   * @throws TokenizerException if the library refuses it
   */
  static NativeTokenizer of(String json) {
    try {
      return new NativeTokenizer(LIBRARY.createTokenizerFromString(json));
    } catch (RuntimeException e) {
      throw new TokenizerException("the model's vocabulary cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * What a text becomes.
   *
   * @param ids of the tokens
   * @param words for each token, which word of the text it belongs to; they count up from 0
   */
  record Encoded(int[] ids, int[] words) {}

  /** Encodes a text without lone surrogates. */
  Encoded encode(String text) {
    long encoding = LIBRARY.encode(handle, text, false);
    try {
      return new Encoded(ints(LIBRARY.getTokenIds(encoding)), ints(LIBRARY.getWordIds(encoding)));
    } finally {
      LIBRARY.deleteEncoding(encoding);
    }
  }

  private static int[] ints(long[] longs) {
    int[] ints = new int[longs.length];
    for (int i = 0; i < ints.length; i++) {
      ints[i] = (int) longs[i];
    }
    return ints;
  }

  /** A second call does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      LIBRARY.deleteTokenizer(handle);
    }
  }
}
