package dev.helixbg.embed;

/**
 * A model, tokenizer or native library that cannot be used; the message says what, where, and what
 * to do.
 */
public final class EmbeddingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public EmbeddingException(String message) {
    super(message);
  }

  public EmbeddingException(String message, Throwable cause) {
    super(message, cause);
  }
}
