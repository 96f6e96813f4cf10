package dev.helixbg.daemon.terminal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

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

  /** Returns an error about a file; {@code what} is a verb and the file, such as "read FILE". */
  public static Failure io(ExitCode code, String what, IOException why) {
    return new Failure(code, "cannot " + what + ": " + reason(why));
  }

  public static Failure io(ExitCode code, String what, IOException why, String remedy) {
    return new Failure(code, "cannot " + what + ": " + reason(why) + ". " + remedy);
  }

  /** Remedy for a cache folder that cannot be written. */
  public static final String OTHER_CACHE =
      "To use another folder, set cache (HELIX_BG_CACHE, --set cache=FOLDER)";

  public ExitCode code() {
    return code;
  }

  /** Returns the meaning of an I/O exception in words; Java's own message is often only a path. */
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file";
      case NotDirectoryException file -> "not a folder";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      case FileAlreadyExistsException there -> there.getFile() + " is a file or a link to nothing";
      default -> String.valueOf(e.getMessage());
    };
  }
}
