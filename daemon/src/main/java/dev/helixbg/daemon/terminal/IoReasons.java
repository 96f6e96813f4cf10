package dev.helixbg.daemon.terminal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What an I/O exception means, in words; Java's own messages are often just the path. */
public final class IoReasons {
  private IoReasons() {}

  /** Part of a sentence, without a full stop. */
  public static String of(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file";
      case NotDirectoryException file -> "not a folder";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}
