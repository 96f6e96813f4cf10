package dev.helixbg.daemon;

/** Ends a command with one clear message and an exit code. */
final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ExitCode code;

  Failure(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  ExitCode code() {
    return code;
  }
}
