package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which program a service may run, and which path of it stays valid after an update. */
class InstallationTest {
  @TempDir Path folder;

  private Path installed(String root) throws IOException {
    Path bin = Files.createDirectories(folder.resolve(root).resolve("bin"));
    Files.createFile(
        bin.resolve("helix-bg"),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    return folder.resolve(root);
  }

  private static Optional<Path> rootOf(Path root) {
    return Installation.of(root.resolve("lib/helix-bg.jar")).map(Installation::root);
  }

  @Test
  void aCheckoutIsNone() throws IOException {
    Files.createDirectories(folder.resolve("daemon/target/dist/lib"));
    assertEquals(Optional.empty(), rootOf(folder.resolve("daemon/target/dist")));
    assertEquals(Optional.empty(), Installation.ofUser(folder));
  }

  @Test
  void anArchiveIsWhereItWasUnpacked() throws IOException {
    Path root = installed("tools/helix-bg-0.1.0-linux-x64");
    assertEquals(Optional.of(root), rootOf(root));
  }

  @Test
  void anUpdatedInstallationIsCalledCurrent() throws IOException {
    Path first = installed(".local/opt/helix-bg/0.1.0");
    Path second = installed(".local/opt/helix-bg/0.2.0");
    Path current = second.resolveSibling("current");
    Files.createSymbolicLink(current, second.getFileName());
    assertEquals(Optional.of(current), rootOf(second));
    assertEquals(Optional.of(current), rootOf(first), "the older one, called by its name");
    assertEquals(current, Installation.ofUser(folder).orElseThrow().root());
    Files.delete(current);
    assertEquals(Optional.of(first), rootOf(first));
    assertEquals(Optional.empty(), Installation.ofUser(folder));
  }

  @Test
  void homebrewsIsTheOneThatLeadsToEachVersion() throws IOException {
    Path cellar = installed("brew/Cellar/helix-bg/0.1.0/libexec");
    assertEquals(Optional.of(cellar), rootOf(cellar));
    Path opt = Files.createDirectories(folder.resolve("brew/opt")).resolve("helix-bg");
    Files.createSymbolicLink(opt, folder.resolve("brew/Cellar/helix-bg/0.1.0"));
    assertEquals(Optional.of(opt.resolve("libexec")), rootOf(cellar));
    Path flat = installed("brew/Cellar/helix-bg/0.1.0");
    assertEquals(Optional.of(opt), rootOf(flat));
  }
}
