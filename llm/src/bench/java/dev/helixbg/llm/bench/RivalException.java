package dev.helixbg.llm.bench;

/** A rival that cannot be measured. The message is one line for users. */
public final class RivalException extends RuntimeException {
  RivalException(String message) {
    super(message);
  }
}
