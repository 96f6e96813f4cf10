package dev.helixbg.llm.tokenizer;

/** A tokenizer that cannot be made or used; the message says why and what to do. */
public final class TokenizerException extends RuntimeException {
  TokenizerException(String message) {
    super(message);
  }

  TokenizerException(String message, Throwable cause) {
    super(message, cause);
  }
}
