package dev.helixbg.embed;

/** An error of a model, tokenizer or library; the message names cause, place and remedy. */
public final class EmbeddingException extends RuntimeException {
  public EmbeddingException(String message) {
    super(message);
  }

  public EmbeddingException(String message, Throwable cause) {
    super(message, cause);
  }
}
