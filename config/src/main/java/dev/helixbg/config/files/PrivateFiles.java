package dev.helixbg.config.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes files and folders that only the user of this process can use, independently of the umask.
 *
 * <p>{@link #makeFolder}, {@link #open} and {@link #create} do not follow a symbolic link at the
 * path itself. {@link #makeFolders} and the methods that call it follow links.
 */
public final class PrivateFiles {
  private static final Set<PosixFilePermission> FOLDER_MODE =
      PosixFilePermissions.fromString("rwx------");
  private static final FileAttribute<?> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<?> FOLDER = PosixFilePermissions.asFileAttribute(FOLDER_MODE);

  private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private PrivateFiles() {}

  /** Makes a missing folder in an existing folder; throws if the path is a link or a file. */
  public static void makeFolder(Path folder) throws IOException {
    if (Files.notExists(folder, LinkOption.NOFOLLOW_LINKS)) {
      try {
        Files.createDirectory(folder, FOLDER);
      } catch (FileAlreadyExistsException e) {
        // Another process has just made the folder; the checks below apply to it, too.
      }
    }
    refuseLink(folder);
    if (!Files.readAttributes(folder, BasicFileAttributes.class).isDirectory()) {
      throw new NotDirectoryException(folder.toString());
    }
  }

  /** Makes a folder and its missing parents. Links on the path are followed. */
  public static void makeFolders(Path folder) throws IOException {
    Files.createDirectories(folder, FOLDER);
  }

  /**
   * Makes a folder whose content will be trusted, and its missing parents. {@code folder} and its
   * parents up to {@code root} must belong to this user and must not be writable by others.
   *
   * @throws IOException also when a folder belongs to another user or is writable by others; the
   *     message names a remedy
   */
  public static void makeTrustedFolder(Path root, Path folder) throws IOException {
    makeFolders(folder);
    requireOwn(root);
    for (Path each = root; !each.equals(folder); ) {
      each = each.resolve(each.relativize(folder).getName(0));
      requireOwn(each);
    }
  }

  /** Makes a folder for this user only; throws if another user owns it or can write to it. */
  public static void makeSecretFolder(Path folder) throws IOException {
    makeFolders(folder);
    requireOwn(folder);
    if (!Files.getPosixFilePermissions(folder).equals(FOLDER_MODE)) {
      Files.setPosixFilePermissions(folder, FOLDER_MODE);
    }
  }

  private static void requireOwn(Path folder) throws IOException {
    if (!Collections.disjoint(Files.getPosixFilePermissions(folder), WRITABLE_BY_OTHERS)) {
      throw refused(
          folder,
          "other users can write to %s: if you trust its content, run chmod go-w %s; if not, name another folder"
              .formatted(folder, folder));
    }
    if (!isOwn(folder)) {
      throw refused(
          folder,
          folder
              + " belongs to another user, so nothing in it can be trusted: name another folder");
    }
  }

  private static FileSystemException refused(Path path, String reason) {
    return new FileSystemException(path.toString(), null, reason);
  }

  public static boolean isOwn(Path path) throws IOException {
    Path folder = Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
    return Files.getAttribute(path, "unix:uid").equals(userId(folder));
  }

  private static Object userId(Path folder) throws IOException {
    Path process = Path.of("/proc/self");
    if (Files.exists(process)) {
      return Files.getAttribute(process, "unix:uid");
    }
    // Without /proc/self, as on macOS: the owner of a new file is the user of this process.
    Path probe = Files.createTempFile(folder, ".helix-bg-owner", ".tmp", FILE);
    try {
      return Files.getAttribute(probe, "unix:uid");
    } finally {
      Files.delete(probe);
    }
  }

  /**
   * Opens a file without following links. If the options create the file, its mode is 0600.
   *
   * @throws IOException also when the path is a link, a folder, a pipe or a device
   */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    refuseLink(file);
    requireFile(file);
    Set<OpenOption> all = new HashSet<>(List.of(options));
    all.add(LinkOption.NOFOLLOW_LINKS);
    return FileChannel.open(file, all, FILE);
  }

  /** Creates an empty file with mode 0600; returns false if the path already exists. */
  public static boolean create(Path file) throws IOException {
    try {
      Files.createFile(file, FILE);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** Throws if there is a folder, a pipe or a device at the path. Reading a pipe would block. */
  public static void requireFile(Path path) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw refused(path, "it is no regular file");
    }
  }

  public static Set<PosixFilePermission> withoutOthersWriting(Set<PosixFilePermission> mode) {
    Set<PosixFilePermission> kept = new HashSet<>(mode);
    kept.removeAll(WRITABLE_BY_OTHERS);
    return kept;
  }

  public static void refuseLink(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      throw refused(
          path,
          "it is a link ("
              + path.getFileName()
              + "), and helix-bg does not follow links in this place: remove the link");
    }
  }

  /** Returns the meaning of an I/O exception in words; Java's own message is often only a path. */
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file";
      case NotDirectoryException file -> "not a folder";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      case FileAlreadyExistsException there -> there.getFile() + " is a file or a broken link";
      default -> String.valueOf(e.getMessage());
    };
  }
}
