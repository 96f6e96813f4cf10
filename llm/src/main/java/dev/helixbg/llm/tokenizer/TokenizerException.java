package dev.helixbg.llm.tokenizer;

/** An error of a vocabulary that lacks a needed token; the message names the token. */
public final class TokenizerException extends RuntimeException {
  TokenizerException(String message) {
    super(message);
  }
}
