package dev.helixbg.insight.log;

/**
 * Reports that a data.log cannot be read at all; the message names the file, the fault and a
 * remedy. Damage inside a log does not cause this error; the {@link LogAccount} lists the damage.
 */
public final class DataLogException extends RuntimeException {
  public DataLogException(String message) {
    super(message);
  }

  public DataLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
