package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.config.text.HostileText;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests scripts/build with a fake Maven that waits, colours its lines, and fails on demand. */
@Timeout(600)
class BuildScriptTest {
  @TempDir Path folder;

  /** Starts the build with a Maven that runs these lines of a shell script. */
  private Process build(String... maven) throws IOException {
    writeMaven(maven);
    return builder().redirectOutput(folder.resolve("out").toFile()).start();
  }

  private void writeMaven(String... maven) throws IOException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path mvn = bin.resolve("mvn");
    Files.writeString(
        mvn,
        "#!/usr/bin/env bash\n[ \"$1\" != --version ] || { echo 'Apache Maven 3.9.9'; exit; }\ncd "
            + folder
            + "\n"
            + String.join("\n", maven)
            + "\n");
    assertTrue(mvn.toFile().setExecutable(true));
  }

  private ProcessBuilder builder() {
    ProcessBuilder builder = new ProcessBuilder(Program.ROOT.resolve("scripts/build").toString());
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HELIX_BG_LAUNCHER_BEAT_SECONDS", "0.1");
    return builder;
  }

  @Test
  void aLongBuildSaysWhatItIsDoing() throws Exception {
    Process build =
        build(
            "printf '\\033[0m[\\033[1;34mINFO\\033[m] \\033[1m---"
                + " \\033[0;32mmaven-compiler-plugin:3.14.1:compile\\033[m"
                + " \\033[1m(default-compile)\\033[m @ \\033[36mhelix-bg-embed\\033[0;1m"
                + " ---\\033[m\\n"
                + "'",
            "until [ -e downloading ]; do sleep 0.02; done",
            "echo 'Downloading from central: https://repo.example/a/b/some-1.0.jar'",
            "until [ -e go ]; do sleep 0.02; done");
    try (BufferedReader err = build.errorReader()) {
      assertTrue(err.readLine().startsWith("helix-bg: building (the first time"));
      await(err, "compile in helix-bg-embed");
      Files.createFile(folder.resolve("downloading"));
      await(err, "downloading some-1.0.jar");
      Files.createFile(folder.resolve("go"));
      assertEquals(0, build.waitFor());
    }
    assertEquals("", Files.readString(folder.resolve("out")));
  }

  private static void await(BufferedReader err, String what) throws IOException {
    String line;
    do {
      line = err.readLine();
      HostileText.assertHarmless(line, "stderr");
    } while (!line.matches("helix-bg: building for \\d+ s: " + what));
  }

  @Test
  void aFailedBuildShowsItsErrorsWithoutColours() throws Exception {
    Process build =
        build(
            "printf '[\\033[1;34mINFO\\033[m] all was well\\n"
                + "[\\033[1;31mERROR\\033[m] a.java:[1,2] cannot find symbol\\n"
                + "'",
            "printf '  symbol: \\033[1mx\\033[m\\n'",
            "exit 3");
    try (BufferedReader err = build.errorReader()) {
      String all = err.lines().collect(Collectors.joining("\n"));
      HostileText.assertHarmless(all, "stderr");
      assertTrue(all.endsWith("[ERROR] a.java:[1,2] cannot find symbol\n  symbol: x"), all);
      assertFalse(all.contains("all was well"), all);
      assertEquals(3, build.waitFor());
    }
  }

  /** The program refuses a cache folder that others may write to. */
  @Test
  void theCacheForAJdkIsTheUsersAlone() throws Exception {
    Path cache = folder.resolve("caches/helix-bg");
    String jdk = "umask 000; set -euo pipefail; source scripts/lib/jdk.sh; ";
    bash(jdk + "(fetch_jdk 2> /dev/null) || [ $? = 4 ]");
    for (Path made : List.of(cache.getParent(), cache, cache.resolve("setup"))) {
      assertEquals("rwx------", OnDisk.mode(made));
    }
    bash("chmod 775 $XDG_CACHE_HOME $XDG_CACHE_HOME/helix-bg $XDG_CACHE_HOME/helix-bg/setup");
    bash(jdk + "get_jdk > /dev/null");
    for (Path made : List.of(cache, cache.resolve("setup"))) {
      assertEquals("rwxr-xr-x", OnDisk.mode(made));
    }
    assertTrue(
        Files.getPosixFilePermissions(cache.getParent()).contains(PosixFilePermission.GROUP_WRITE),
        "it is not only for helix-bg");
  }

  @Test
  void whatAnUnpackingLeftThatWasCutOffIsNoJdk() throws Exception {
    bash(
        """
        set -euo pipefail
        source scripts/lib/jdk.sh
        left=$setup_cache/temurin-25.new.1
        mkdir -p "$left/bin"
        echo 'JAVA_VERSION="99"' > "$left/release"
        install -m 755 /dev/null "$left/bin/javac"
        JAVA_HOME=$left JAVA25_HOME=$JAVA_HOME
        [ "$(search_jdk)" != "$left" ]
        """);
  }

  private void bash(String commands) throws Exception {
    ProcessBuilder bash = new ProcessBuilder("bash", "-c", commands);
    bash.environment().keySet().removeIf(name -> name.toLowerCase().endsWith("_proxy"));
    bash.environment().put("XDG_CACHE_HOME", folder.resolve("caches").toString());
    bash.environment().put("JAVA_HOME", System.getProperty("java.home"));
    bash.environment().put("HELIX_BG_LAUNCHER_JDK_FROM", "http://127.0.0.1:1");
    ExternalTool.said(bash.directory(Program.ROOT.toFile()));
  }

  /**
   * Builds end while the progress loop still reads the log. The log must exist until the loop has
   * ended. Nothing may follow an error, even if Maven cannot start.
   */
  @Test
  void shortBuildsEndTheirProgressFirst() throws Exception {
    for (int round = 0; round < 4; round++) {
      int code = round % 2;
      writeMaven("sleep 0.2", "echo 'Error: the last line' >&2", "exit " + code);
      String last = code == 0 ? "" : "Error: the last line\n";
      List<Process> builds = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        builds.add(builder().redirectErrorStream(true).start());
      }
      for (Process build : builds) {
        String said = new String(build.getInputStream().readAllBytes(), UTF_8);
        assertTrue(said.matches("(helix-bg: building [^\n]*\n)+" + last), said);
        assertEquals(code, build.waitFor());
      }
    }
  }
}
