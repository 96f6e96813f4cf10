package dev.helixbg.llm.metal.shim;

/**
 * Metal refused something, or is not there; the message says what, in Metal's words if it has any.
 */
public final class MetalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MetalException(String message) {
    super(message);
  }

  MetalException(String message, Throwable cause) {
    super(message, cause);
  }
}
