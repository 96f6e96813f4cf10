package dev.helixbg.llm.gpu.driver;

/**
 * A GPU's driver refused something, or is not there; the message says what, in the driver's words
 * if it has any.
 */
public final class GpuException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean absence;

  public GpuException(String message) {
    super(message);
    absence = false;
  }

  private GpuException(String message, Throwable cause) {
    super(message, cause);
    absence = true;
  }

  /**
   * There is no such GPU on this machine, as on most.
   *
   * @param cause null if there is none
   */
  public static GpuException absent(String message, Throwable cause) {
    return new GpuException(message, cause);
  }

  /** Whether there is no such GPU at all. */
  public boolean isAbsence() {
    return absence;
  }
}
