package dev.helixbg.embed;

/**
 * An error of a model, tokenizer or native library that cannot be used. The message names the
 * cause, the place, and a remedy.
 */
public final class EmbeddingException extends RuntimeException {
  public EmbeddingException(String message) {
    super(message);
  }

  public EmbeddingException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Returns the error for a model whose vector has NaN or infinite values, or is zero. */
  static EmbeddingException notNumbers() {
    return new EmbeddingException(
        "the embedding model gave values that are no numbers; it is damaged, or the wrong model:"
            + " replace it, or remove it to use the bundled one");
  }
}
