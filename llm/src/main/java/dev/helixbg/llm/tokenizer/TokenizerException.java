package dev.helixbg.llm.tokenizer;

/** A vocabulary without a token that is needed; the message names it. */
public final class TokenizerException extends RuntimeException {
  TokenizerException(String message) {
    super(message);
  }
}
