package dev.helixbg.llm.gpu.driver;

/**
 * A GPU's driver refused something, or is not there; the message says what, in the driver's words
 * if it has any.
 */
public final class GpuException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public GpuException(String message) {
    super(message);
  }

  public GpuException(String message, Throwable cause) {
    super(message, cause);
  }
}
