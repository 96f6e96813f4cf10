package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the archive that {@code scripts/package} makes, and the Debian package. The test takes
 * long, so its name makes it start early.
 */
class ArchiveIT {
  @TempDir Path folder;

  private String said(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TMPDIR", folder.toString());
    // A Debian user's PATH has no sbin.
    builder.environment().put("PATH", System.getenv("PATH").replaceAll("[^:]*/sbin(:|$)", ""));
    builder.directory(Program.ROOT.toFile());
    Path err = folder.resolve("err");
    Process process = builder.redirectError(err.toFile()).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said + Files.readString(err));
    return said.strip();
  }

  /** Checks an uncompressed package in this system; releases are checked in a bare system. */
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  @Test
  void aReleaseAndItsDebHoldWhatTheyShouldAndStart() throws Exception {
    String version = said("bash", "-c", "source scripts/lib/version.sh; release_version");
    String platform = System.getProperty("os.arch").equals("amd64") ? "x64" : "arm64";
    String release = folder.resolve("helix-bg-" + version + "-linux-" + platform).toString();
    said("scripts/package", "--to", release);
    said("scripts/check-package", "--quick", release);
    ExternalTool.require("dpkg-deb");
    ExternalTool.require("unzip");
    said("scripts/check-deb", "--quick", said("packaging/deb", release));
  }
}
