package dev.helixbg.embed.store;

import static org.sqlite.SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.sqlite.SQLiteException;

/** An error of a database; the message names the database, the cause and a remedy. */
public final class StoreException extends RuntimeException {
  private static final String FULL = "the disk is full. Make room";

  StoreException(Path file, Exception e) {
    super(
        "cannot use the database %s: %s, or set another folder: state = \"...\""
            .formatted(file, reason(file, e)),
        e);
  }

  private static String reason(Path file, Exception e) {
    return switch (e) {
      case SQLiteException sqlite when sqlite.getResultCode() == SQLITE_IOERR_SHMSIZE -> FULL;
      case SQLiteException sqlite ->
          switch (sqlite.getResultCode().code & 0xFF) {
            case 5, 6 -> "other processes keep it busy. Try again";
            case 8, 3 -> "it cannot be written. Make it writable";
            case 13 -> FULL;
            case 14 -> "it cannot be opened. Make it and its folder writable";
            default -> sqlite.getMessage() + ". Check the disk";
          };
      case AccessDeniedException denied -> "permission denied. Check its permissions";
      case NoSuchFileException missing -> "its folder does not exist. Create the folder";
      case FileSystemException other when other.getReason() != null ->
          place(file, other) + other.getReason();
      default -> e.getMessage();
    };
  }

  /** Returns the path of the faulty file; empty if it is the database. */
  private static String place(Path file, FileSystemException e) {
    String place = e.getOtherFile() == null ? e.getFile() : e.getOtherFile();
    return file.toString().equals(place) ? "" : place + ": ";
  }
}
