package dev.helixbg.insight.log;

/**
 * A data.log that cannot be read at all; the message says what, where, and what to do.
 *
 * <p>Damage inside a log is no exception: it is in the {@link LogAccount}.
 */
public final class DataLogException extends RuntimeException {
  public DataLogException(String message) {
    super(message);
  }

  public DataLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
