package dev.helixbg.insight.log;

/**
 * A data.log that cannot be read at all; the message says what, where, and what to do.
 *
 * <p>Damage inside a log does not raise it; the {@link LogAccount} has the damage.
 */
public final class DataLogException extends RuntimeException {
  public DataLogException(String message) {
    super(message);
  }

  public DataLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
