package dev.helixbg.daemon.terminal;

import dev.helixbg.config.files.PrivateFiles;
import java.io.IOException;

/** Ends a command with one clear message and an exit code. */
public final class Failure extends RuntimeException {
  private final ExitCode code;

  public Failure(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  public static Failure usage(String message) {
    return new Failure(ExitCode.USAGE, message);
  }

  public static Failure io(ExitCode code, String what, IOException why) {
    return new Failure(code, "cannot " + what + ": " + PrivateFiles.reason(why));
  }

  public static Failure io(ExitCode code, String what, IOException why, String remedy) {
    return new Failure(code, "cannot " + what + ": " + PrivateFiles.reason(why) + ". " + remedy);
  }

  /** Remedy for a cache folder that cannot be written. */
  public static final String OTHER_CACHE =
      "To use another folder, set cache (HELIX_BG_CACHE, --set cache=FOLDER)";

  public ExitCode code() {
    return code;
  }
}
