package dev.helixbg.daemon.tidy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** A file of the user that helix-bg changes on request, in one step. */
public record UserFile(Path file) {
  private static final Path PROCESSES = Path.of("/proc");

  private static final int ACCESS = 3;

  private static final long LONGEST_NAMES = 1 << 16;

  /**
   * Replaces the file in one step by a synced file with the same mode, owner and group. Returns
   * false, and changes nothing, if the content of the file is not {@code before}.
   */
  public boolean replace(byte[] before, byte[] after) throws IOException {
    requireChangeable();
    AtomicFile.deleteLeftoversOf(file);
    if (!Arrays.equals(Files.readAllBytes(file), before)) {
      return false;
    }
    try (AtomicFile made = AtomicFile.write(file, out -> out.write(after))) {
      made.keepOwnerAndMode(file);
      if (!Arrays.equals(Files.readAllBytes(file), before)) {
        return false;
      }
      made.renameTo(file);
    }
    AtomicFile.syncFolder(file.getParent());
    return true;
  }

  /**
   * Fails if a change is unsafe: if the file is a link, has a second name (a hard link), has an
   * access control list, is read-only or in a read-only folder, belongs to another user, or is
   * written or locked by another process.
   */
  public void requireChangeable() throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw refused("it is a link");
    }
    PrivateFiles.requireFile(file);
    if (!Files.isWritable(file) || !isOwnersToWrite(file)) {
      throw refused("it is read-only");
    }
    Path folder = file.getParent();
    if (!Files.isWritable(folder) || !isOwnersToWrite(folder)) {
      throw refused("its folder is read-only");
    }
    if (!PrivateFiles.isOwn(file)) {
      throw refused("it belongs to another user");
    }
    if ((Integer) Files.getAttribute(file, "unix:nlink") > 1) {
      throw refused("it has a second name (a hard link), which would keep the old text");
    }
    if (!Files.isDirectory(PROCESSES)) {
      return; // only Linux shows the access list and the writers in this way
    }
    if (hasAccessList()) {
      throw refused("it has an access control list, which the changed file would lose");
    }
    Optional<String> writer = writer();
    if (writer.isPresent()) {
      throw refused(writer.get());
    }
  }

  /** Whether the file has an access control list, which Linux shows as an attribute (acl(5)). */
  private boolean hasAccessList() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment names = arena.allocate(LONGEST_NAMES);
      long length =
          NativeFunction.ofC("listxattr")
              .orElseThrow()
              .call(arena.allocateFrom(file.toString()).address(), names.address(), LONGEST_NAMES);
      byte[] all = names.asSlice(0, Math.max(0, length)).toArray(ValueLayout.JAVA_BYTE);
      return new String(all, ISO_8859_1).contains("system.posix_acl_access\0");
    }
  }

  private FileSystemException refused(String why) {
    return new FileSystemException(file.toString(), null, why);
  }

  /** Whether the mode lets the owner write; checked because root could write any file. */
  private static boolean isOwnersToWrite(Path path) throws IOException {
    return Files.getPosixFilePermissions(path).contains(PosixFilePermission.OWNER_WRITE);
  }

  private Optional<String> writer() throws IOException {
    Map<String, Object> own = identity(file);
    String self = Long.toString(ProcessHandle.current().pid());
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
      for (Path process : processes) {
        if (!process.endsWith(self) && writes(process, own)) {
          return Optional.of(
              "the process %s (%s) has it open for writing, or has locked it"
                  .formatted(process.getFileName(), name(process)));
        }
      }
    }
    return Optional.empty();
  }

  private static Map<String, Object> identity(Path path) throws IOException {
    return Files.readAttributes(path, "unix:dev,ino");
  }

  private static boolean writes(Path process, Map<String, Object> file) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path one : open) {
        if (isOpen(one, file)
            && Files.readAllLines(process.resolve("fdinfo").resolve(one.getFileName())).stream()
                .anyMatch(UserFile::tellsOfWriting)) {
          return true;
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // The process has ended or belongs to another user.
    }
    return false;
  }

  private static boolean isOpen(Path descriptor, Map<String, Object> file) {
    try {
      return identity(descriptor).equals(file);
    } catch (IOException e) {
      return false; // closed in the meantime
    }
  }

  /** Whether a line of {@code /proc/PID/fdinfo/FD} shows a lock or open(2) flags for writing. */
  private static boolean tellsOfWriting(String line) {
    return line.startsWith("lock:")
        || line.startsWith("flags:")
            && (Integer.parseInt(line.substring(line.length() - 1)) & ACCESS) != 0;
  }

  private static String name(Path process) {
    try {
      return PrintableText.line(Files.readString(process.resolve("comm")).strip());
    } catch (IOException e) {
      return "ended";
    }
  }
}
