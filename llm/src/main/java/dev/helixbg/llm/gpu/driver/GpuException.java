package dev.helixbg.llm.gpu.driver;

/**
 * A GPU's driver refused something, or is not there; the message says what, in the driver's words
 * if it has any.
 */
public final class GpuException extends RuntimeException {
  private enum Kind {
    ABSENT,
    REFUSED,
    FAILED
  }

  private final Kind kind;

  /** Something that this GPU will refuse the next time, too. */
  public GpuException(String message) {
    this(message, null, Kind.REFUSED);
  }

  private GpuException(String message, Throwable cause, Kind kind) {
    super(message, cause);
    this.kind = kind;
  }

  /**
   * There is no such GPU on this machine, as on most.
   *
   * @param cause null if there is none
   */
  public static GpuException absent(String message, Throwable cause) {
    return new GpuException(message, cause, Kind.ABSENT);
  }

  /** A GPU that was in use took too long, was lost, or had no memory left. */
  public static GpuException failed(String message) {
    return new GpuException(message, null, Kind.FAILED);
  }

  /** Work came to no end. */
  public static GpuException unfinished(String reason) {
    return failed("the GPU could not finish its work: " + reason);
  }

  /** Whether there is no such GPU at all. */
  public boolean isAbsence() {
    return kind == Kind.ABSENT;
  }

  /** Whether another try may do, with the GPU opened anew. */
  public boolean isFailure() {
    return kind == Kind.FAILED;
  }
}
