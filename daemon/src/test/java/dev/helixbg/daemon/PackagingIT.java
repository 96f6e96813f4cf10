package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What {@code scripts/package} makes of the build, and what it needs for that. */
class PackagingIT {
  private static final Path PACKAGING = Program.ROOT.resolve("packaging");

  @TempDir Path folder;

  private String said(String... command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TMPDIR", folder.toString());
    builder.directory(Program.ROOT.toFile());
    Path err = folder.resolve("err");
    Process process = builder.redirectError(err.toFile()).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said + Files.readString(err));
    return said.strip();
  }

  /** Little compressed, and in this system: releases are checked in a bare one. */
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

  private static List<String[]> components() throws Exception {
    return Files.readAllLines(PACKAGING.resolve("components.tsv")).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t"))
        .toList();
  }

  @Test
  void theLicenceOfEachJarIsKnown() throws Exception {
    Set<String> known = components().stream().map(line -> line[0]).collect(Collectors.toSet());
    Set<String> unknown = new TreeSet<>();
    try (Stream<Path> files = Files.list(Program.ROOT.resolve("daemon/target/dist/lib"))) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .map(name -> name.replaceFirst("(-\\d.*)?\\.jar$", ""))
          .filter(name -> !known.contains(name))
          .forEach(unknown::add);
    }
    assertEquals(Set.of(), unknown, "add them to packaging/components.tsv");
  }

  @Test
  void theTextOfEachLicenceIsThere() throws Exception {
    for (String[] component : components()) {
      assertEquals(4, component.length, component[0]);
      String licence = component[2].split(" ")[0];
      Path text =
          licence.equals("Apache-2.0")
              ? Program.ROOT.resolve("LICENSE")
              : PACKAGING.resolve("licenses/" + licence + ".txt");
      assertTrue(Files.size(text) > 500, component[0]);
    }
  }
}
