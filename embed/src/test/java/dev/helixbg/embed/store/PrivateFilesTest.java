package dev.helixbg.embed.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFilesTest {
  @TempDir Path folder;

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void whatIsMadeIsForItsUserAlone() throws IOException {
    Path made = folder.resolve("made");
    PrivateFiles.makeFolder(made);
    PrivateFiles.makeFolder(made);
    assertEquals("rwx------", mode(made));
    Path file = made.resolve("file");
    PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
    assertEquals("rw-------", mode(file));
    AtomicFile.replace(made.resolve("other"), out -> out.write(1));
    assertEquals("rw-------", mode(made.resolve("other")));
  }

  @Test
  void aModeThatIsThereIsTheUsers() throws IOException {
    for (String mode : new String[] {"r--------", "rw-r-----", "rw-rw-rw-", "---------"}) {
      Path file = folder.resolve("file" + mode);
      Files.createFile(file);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      AtomicFile.replace(file, out -> out.write(1));
      assertEquals(1, Files.size(file));
      assertEquals(mode, mode(file));
    }
  }

  /** A temporary file is as private as the file will be, from its first byte. */
  @Test
  void aTemporaryFileIsPrivateWhileItIsWritten() throws IOException {
    AtomicFile.replace(
        folder.resolve("file"),
        out -> {
          try (var files = Files.list(folder)) {
            assertEquals("rw-------", mode(files.findFirst().orElseThrow()));
          }
        });
  }

  @Test
  void linksAreNotFollowed() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
    assertThrows(
        FileSystemException.class, () -> PrivateFiles.open(link, StandardOpenOption.WRITE));
    assertThrows(IOException.class, () -> ProcessLock.take(link, Duration.ZERO));
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), elsewhere);
    assertThrows(FileSystemException.class, () -> PrivateFiles.makeFolder(linked));
    assertThrows(FileSystemException.class, () -> PrivateFiles.makeFolder(victim));
    PrivateFiles.makeFolders(linked);

    AtomicFile.replace(link, out -> out.write(1));
    assertFalse(Files.isSymbolicLink(link), "the link is replaced");
    assertEquals("private", Files.readString(victim));
  }

  @Test
  void aLockIsHeldOnceAlsoUnderAnotherName() throws IOException {
    Path file = folder.resolve("lock");
    Path alias = Files.createSymbolicLink(folder.resolve("alias"), folder).resolve("lock");
    try (ProcessLock held = ProcessLock.take(file, Duration.ZERO).orElseThrow()) {
      assertTrue(ProcessLock.take(file, Duration.ofMillis(50)).isEmpty());
    }
    try (ProcessLock held = ProcessLock.take(file, Duration.ZERO).orElseThrow()) {
      assertTrue(ProcessLock.take(alias, Duration.ZERO).isEmpty());
    }
    ProcessLock.take(alias, Duration.ZERO).orElseThrow().close();
  }
}
