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
 * What {@code scripts/package} makes of the build, and a package of it. Takes long, and so has a
 * name with which it begins early.
 */
class ArchiveIT {
  @TempDir Path folder;

  private String said(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TMPDIR", folder.toString());
    // As a user of Debian has it, without sbin.
    builder.environment().put("PATH", System.getenv("PATH").replaceAll("[^:]*/sbin(:|$)", ""));
    builder.directory(Program.ROOT.toFile());
    Path err = folder.resolve("err");
    Process process = builder.redirectError(err.toFile()).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said + Files.readString(err));
    return said.strip();
  }

  /** Not compressed, and in this system: releases are checked in a bare one. */
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
