package dev.helixbg.insight.judge;

/** Reports a model that cannot be used; the message names the reason. */
public final class JudgeException extends RuntimeException {
  public JudgeException(String message) {
    super(message);
  }
}
