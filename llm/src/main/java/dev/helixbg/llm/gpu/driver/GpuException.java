package dev.helixbg.llm.gpu.driver;

/** An error of a GPU or its driver; the message has the driver's own text if there is one. */
public final class GpuException extends RuntimeException {
  private enum Kind {
    ABSENT,
    REFUSED,
    FAILED
  }

  private final Kind kind;

  /** Creates an exception for a request that this GPU can never fulfil. */
  public GpuException(String message) {
    this(message, null, Kind.REFUSED);
  }

  private GpuException(String message, Throwable cause, Kind kind) {
    super(message, cause);
    this.kind = kind;
  }

  /**
   * Creates an exception for a machine that has no GPU of the requested kind. The cause may be
   * null.
   */
  public static GpuException absent(String message, Throwable cause) {
    return new GpuException(message, cause, Kind.ABSENT);
  }

  /** Creates an exception for a GPU that took too long, was lost, or ran out of memory. */
  public static GpuException failed(String message) {
    return new GpuException(message, null, Kind.FAILED);
  }

  public static GpuException unfinished(String reason) {
    return failed("the GPU could not finish its work: " + reason);
  }

  public boolean isAbsence() {
    return kind == Kind.ABSENT;
  }

  /** Returns whether another try may succeed after the GPU is opened again. */
  public boolean isFailure() {
    return kind == Kind.FAILED;
  }
}
