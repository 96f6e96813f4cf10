package dev.helixbg.insight.judge;

/**
 * Reports a model or an answer file that cannot be used; the message names the reason and the
 * remedy.
 */
public final class JudgeException extends RuntimeException {
  public JudgeException(String message) {
    super(message);
  }
}
