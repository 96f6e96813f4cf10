package dev.helixbg.llm.tokenizer;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/** A tokenizer of the native library, until {@link #close}. */
final class NativeTokenizer implements AutoCloseable {
  private static final TokenizersLibrary LIBRARY = TokenizersLibrary.LIB;

  private final long handle;

  /** Held for reading while the handle is used, for writing while it is freed. */
  private final ReadWriteLock use = new ReentrantReadWriteLock();

  private boolean closed;

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
   * What texts become.
   *
   * @param ids of the tokens
   * @param words for each token the word that it is a part of; they count up from 0
   */
  record Encoded(int[] ids, int[] words) {}

  /** Splits a text without lone surrogates into words, and encodes them. */
  Encoded encode(String text) {
    return encode(() -> LIBRARY.encode(handle, text, false));
  }

  /** Encodes words. */
  Encoded encode(List<String> words) {
    return encode(() -> LIBRARY.encodeList(handle, words.toArray(new String[0]), false));
  }

  private Encoded encode(LongSupplier encoding) {
    use.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException("the tokenizer is closed");
      }
      return read(encoding.getAsLong());
    } finally {
      use.readLock().unlock();
    }
  }

  private static Encoded read(long encoding) {
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
    use.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        LIBRARY.deleteTokenizer(handle);
      }
    } finally {
      use.writeLock().unlock();
    }
  }
}
