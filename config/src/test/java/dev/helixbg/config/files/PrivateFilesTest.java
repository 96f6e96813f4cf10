package dev.helixbg.config.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateFilesTest {
  @TempDir Path folder;

  private Path made(String name, String mode) throws IOException {
    return OnDisk.setMode(Files.createDirectory(folder.resolve(name)), mode);
  }

  @Test
  void madeFilesAndFoldersAreForTheirUserAlone() throws IOException {
    Path made = folder.resolve("made");
    PrivateFiles.makeFolder(made);
    PrivateFiles.makeFolder(made);
    assertEquals("rwx------", OnDisk.mode(made));
    Path file = made.resolve("file");
    PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
    assertEquals("rw-------", OnDisk.mode(file));
    Path other = made.resolve("other");
    assertTrue(PrivateFiles.create(other));
    assertEquals("rw-------", OnDisk.mode(other));
    assertFalse(PrivateFiles.create(other));
    PrivateFiles.makeFolders(folder.resolve("a/b/c"));
    assertEquals("rwx------", OnDisk.mode(folder.resolve("a")));
    assertEquals("rwx------", OnDisk.mode(folder.resolve("a/b/c")));
  }

  @Test
  void linksAreNotFollowed() throws IOException {
    Path victim = Files.writeString(folder.resolve("victim"), "private");
    Path link = Files.createSymbolicLink(folder.resolve("link"), victim);
    assertThrows(
        FileSystemException.class, () -> PrivateFiles.open(link, StandardOpenOption.WRITE));
    Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("no"));
    assertFalse(PrivateFiles.create(dangling));
    assertFalse(Files.exists(folder.resolve("no")));
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), elsewhere);
    assertThrows(FileSystemException.class, () -> PrivateFiles.makeFolder(linked));
    assertThrows(FileSystemException.class, () -> PrivateFiles.makeFolder(victim));
    PrivateFiles.makeFolders(linked);
    assertEquals("private", Files.readString(victim));
  }

  @Test
  void onlyRegularFilesAreOpened() throws IOException {
    IOException e =
        assertThrows(
            FileSystemException.class, () -> PrivateFiles.open(folder, StandardOpenOption.READ));
    assertTrue(e.getMessage().contains("it is no regular file"), e.getMessage());
    assertThrows(FileSystemException.class, () -> PrivateFiles.requireFile(Path.of("/dev/null")));
    PrivateFiles.requireFile(folder.resolve("missing"));
  }

  @Test
  void aSecretFolderIsClosedToOthers() throws IOException {
    Path secret = made("secret", "rwxr-xr-x");
    PrivateFiles.makeSecretFolder(secret);
    assertEquals("rwx------", OnDisk.mode(secret));
    PrivateFiles.makeSecretFolder(folder.resolve("new/one"));
    assertEquals("rwx------", OnDisk.mode(folder.resolve("new/one")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxrwxr-x", "rwxr-xrwx", "rwxrwxrwx"})
  void aFolderThatOthersCanWriteToIsRefused(String mode) throws IOException {
    Path open = made("open", mode);
    FileSystemException secret =
        assertThrows(FileSystemException.class, () -> PrivateFiles.makeSecretFolder(open));
    assertEquals(
        "other users can write to "
            + open
            + ": if you trust its content, run chmod go-w "
            + open
            + "; if not, name another folder",
        secret.getReason());
    assertEquals(mode, OnDisk.mode(open));
    assertThrows(
        FileSystemException.class,
        () -> PrivateFiles.makeTrustedFolder(open, open.resolve("natives/one")));
  }

  /**
   * The root, the trusted folder and all folders between them are checked, but not the root's
   * parents.
   */
  @Test
  void aTrustedFolderHasOnlyOwnFoldersAboveIt() throws IOException {
    Path cache = made("cache", "rwxr-xr-x");
    Path natives = Files.createDirectory(cache.resolve("natives"));
    Path trusted = natives.resolve("sqlite-1");
    OnDisk.setMode(folder, "rwxrwxrwx");
    PrivateFiles.makeTrustedFolder(cache, trusted);
    assertEquals("rwx------", OnDisk.mode(trusted));
    PrivateFiles.makeTrustedFolder(cache, cache);
    for (Path each : new Path[] {cache, natives, trusted}) {
      OnDisk.setMode(each, "rwxrwxrwx");
      FileSystemException e =
          assertThrows(
              FileSystemException.class, () -> PrivateFiles.makeTrustedFolder(cache, trusted));
      assertEquals(each.toString(), e.getFile());
      OnDisk.setMode(each, "rwx------");
    }
    PrivateFiles.makeTrustedFolder(cache, trusted);
  }
}
