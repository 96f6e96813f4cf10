package dev.helixbg.insight.judge;

/** Reports a model or an answer file that cannot be used; the message has reason and remedy. */
public final class JudgeException extends RuntimeException {
  public JudgeException(String message) {
    super(message);
  }
}
