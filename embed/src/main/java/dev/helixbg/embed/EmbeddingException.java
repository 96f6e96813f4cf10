package dev.helixbg.embed;

/** An error of a model, tokenizer or library; the message names cause, place and remedy. */
public final class EmbeddingException extends RuntimeException {
  public EmbeddingException(String message) {
    super(message);
  }

  public EmbeddingException(String message, Throwable cause) {
    super(message, cause);
  }

  static EmbeddingException notNumbers() {
    return new EmbeddingException(
        "the embedding model gave values that are no numbers: it is damaged, or it is the wrong"
            + " model. Replace the model, or remove it to use the bundled model");
  }
}
