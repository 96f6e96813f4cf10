package dev.helixbg.llm.bench;

/** Reports a rival (another engine) that cannot be measured. The message is one line for users. */
public final class RivalException extends RuntimeException {
  RivalException(String message) {
    super(message);
  }
}
