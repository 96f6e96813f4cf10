package dev.helixbg.embed.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Files and folders of ours in places that somebody else may have prepared, such as a knowledge
 * base from the net: nothing is written through a link, and what is made is for its user alone.
 */
public final class PrivateFiles {
  private static final FileAttribute<?> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private PrivateFiles() {}

  /**
   * Makes a folder unless it is there; the one that it is in is not made.
   *
   * @throws IOException when there is a link or a file in its place, too
   */
  public static void makeFolder(Path folder) throws IOException {
    if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
      try {
        Files.createDirectory(folder, FOLDER);
      } catch (FileAlreadyExistsException e) {
        // Somebody else made it just now: what it is, is looked at below.
      }
    }
    refuseLink(folder);
    if (!Files.readAttributes(folder, BasicFileAttributes.class).isDirectory()) {
      throw new NotDirectoryException(folder.toString());
    }
  }

  /**
   * Makes a folder of the user's own with all that it is in; a link in its place is theirs, too.
   */
  public static void makeFolders(Path folder) throws IOException {
    Files.createDirectories(folder, FOLDER);
  }

  /**
   * Opens a file with O_NOFOLLOW, and makes it with mode 0600 when the options say so.
   *
   * @throws IOException when it is a link, a folder, a pipe or a device, too
   */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    refuseLink(file);
    requireFile(file);
    Set<OpenOption> all = new HashSet<>(List.of(options));
    all.add(LinkOption.NOFOLLOW_LINKS);
    return FileChannel.open(file, all, FILE);
  }

  /**
   * Makes an empty file with mode 0600.
   *
   * @return false when there is something in its place already
   */
  public static boolean create(Path file) throws IOException {
    try {
      Files.createFile(file, FILE);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /**
   * Opens a file with O_NOFOLLOW to append to it; each write waits for the disk. An interrupt of
   * the thread would close a channel in the middle of a record, but not this.
   *
   * @throws IOException when it is a link, a folder, a pipe or a device, too
   */
  public static OutputStream appending(Path file) throws IOException {
    refuseLink(file);
    requireFile(file);
    return Files.newOutputStream(
        file,
        StandardOpenOption.WRITE,
        StandardOpenOption.APPEND,
        StandardOpenOption.DSYNC,
        LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * To be asked before a file is opened: whoever opens a pipe waits for its other end.
   *
   * @throws IOException when there is something that is no file, nor a link to one
   */
  public static void requireFile(Path path) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw new FileSystemException(path.toString(), null, "it is no regular file");
    }
  }

  /** Whether a mode gives nothing to anybody but the owner. */
  public static boolean isPrivate(Set<PosixFilePermission> mode) {
    return Collections.disjoint(mode, OTHERS);
  }

  /**
   * @throws IOException when it is one
   */
  public static void refuseLink(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      throw new FileSystemException(
          path.toString(),
          null,
          "it is a link (" + path.getFileName() + "), and helix-bg follows none there: remove it");
    }
  }
}
