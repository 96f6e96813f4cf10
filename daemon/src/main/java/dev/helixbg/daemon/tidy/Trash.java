package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * The desktop's trash: on Linux as freedesktop.org specifies it, on a Mac {@code ~/.Trash}.
 *
 * @param home trash folder of the user's home
 * @param isMac whether the trash is a plain folder of files, as on a Mac
 */
record Trash(Path home, boolean isMac) {
  private static final int MOST_NAMES = 10_000;
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss");

  /** A file in the trash. {@code info} is the trash's record of its old path; empty on a Mac. */
  record Moved(Path from, Path to, Optional<Path> info) {
    /** Moves the file back, unless its old path exists again. */
    void putBack() throws IOException {
      if (Files.exists(from, LinkOption.NOFOLLOW_LINKS)) {
        throw new FileAlreadyExistsException(from.toString(), null, "it is there again");
      }
      Files.move(to, from);
      if (info.isPresent()) {
        Files.deleteIfExists(info.get());
      }
    }
  }

  /**
   * Moves a regular file to the trash.
   *
   * @param now present time in the user's time zone
   */
  Moved move(Path file, LocalDateTime now) throws IOException {
    Path from = file.toRealPath(LinkOption.NOFOLLOW_LINKS);
    if (!Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(from + " is not a regular file");
    }
    Files.createDirectories(home);
    return isMac ? moveTo(home, from) : moveByInfo(from, now);
  }

  private static Moved moveTo(Path folder, Path from) throws IOException {
    for (int i = 1; i < MOST_NAMES; i++) {
      Path to = folder.resolve(name(from, i));
      if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
        return new Moved(from, Files.move(from, to), Optional.empty());
      }
    }
    throw new IOException("the trash already has too many files named " + from.getFileName());
  }

  /**
   * Moves a file to the trash. First writes the record of its old path, which reserves a name in
   * the trash.
   */
  private Moved moveByInfo(Path from, LocalDateTime now) throws IOException {
    boolean atHome = Files.getFileStore(from).equals(Files.getFileStore(home));
    Path top = atHome ? Path.of("/") : top(from);
    Path trash = atHome ? home : ownTrash(top);
    Path files = Files.createDirectories(trash.resolve("files"));
    Path infos = Files.createDirectories(trash.resolve("info"));
    String path = (atHome ? from : top.relativize(from)).toString();
    String info =
        "[Trash Info]\nPath=%s\nDeletionDate=%s\n"
            .formatted(
                URLEncoder.encode(path, UTF_8).replace("+", "%20").replace("%2F", "/"),
                SECONDS.format(now));
    for (int i = 1; i < MOST_NAMES; i++) {
      Path note = infos.resolve(name(from, i) + ".trashinfo");
      try {
        Files.writeString(note, info, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      } catch (FileAlreadyExistsException e) {
        continue;
      }
      Path to = files.resolve(name(from, i));
      if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
        Files.delete(note); // the name belongs to a file without such a record
        continue;
      }
      try {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        return new Moved(from, to, Optional.of(note));
      } catch (IOException e) {
        Files.delete(note);
        throw e instanceof AtomicMoveNotSupportedException
            ? new IOException("it is on a different disk from the trash")
            : e;
      }
    }
    throw new IOException("the trash already has too many files named " + from.getFileName());
  }

  private static String name(Path file, int number) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return number == 1
        ? name
        : dot <= 0
            ? name + "." + number
            : name.substring(0, dot) + "." + number + name.substring(dot);
  }

  /** Returns the topmost folder above the file that is on the same disk as the file. */
  private static Path top(Path file) throws IOException {
    FileStore disk = Files.getFileStore(file);
    Path top = file.getParent();
    while (top.getParent() != null && Files.getFileStore(top.getParent()).equals(disk)) {
      top = top.getParent();
    }
    return top;
  }

  /** Returns the user's trash on another disk: {@code .Trash-UID}, writable only for this user. */
  private static Path ownTrash(Path top) throws IOException {
    Path home = Path.of(System.getProperty("user.home"));
    Path trash = top.resolve(".Trash-" + Files.getAttribute(home, "unix:uid"));
    try {
      return Files.createDirectory(
          trash,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      if (Files.isSymbolicLink(trash)
          || !Files.getAttribute(trash, "unix:uid", LinkOption.NOFOLLOW_LINKS)
              .equals(Files.getAttribute(home, "unix:uid"))) {
        throw new IOException("the trash " + trash + " is not yours");
      }
      return trash;
    }
  }
}
