package dev.helixbg.daemon.terminal;

import java.io.IOException;

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

  /**
   * For a file or folder that cannot be had.
   *
   * @param what cannot be done: "read" and the file
   */
  public static Failure io(ExitCode code, String what, IOException why) {
    return new Failure(code, "cannot " + what + ": " + IoReasons.of(why));
  }

  /** The same, with a sentence that says what to do. */
  public static Failure io(ExitCode code, String what, IOException why, String remedy) {
    return new Failure(code, "cannot " + what + ": " + IoReasons.of(why) + ". " + remedy);
  }

  public ExitCode code() {
    return code;
  }
}
