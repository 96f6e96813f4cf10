package dev.helixbg.daemon.terminal;

/** Ends a command with one clear message and an exit code. */
public final class Failure extends RuntimeException {
  private final ExitCode code;

  public Failure(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  /** For what somebody asked for or set that cannot be. */
  public static Failure usage(String message) {
    return new Failure(ExitCode.USAGE, message);
  }

  public ExitCode code() {
    return code;
  }
}
