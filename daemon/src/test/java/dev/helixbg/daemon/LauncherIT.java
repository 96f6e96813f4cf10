package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.config.x86.MachineCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LauncherIT {
  @TempDir Path home;

  private String err(String line) throws Exception {
    return err("hb=$0", line);
  }

  /** Runs a line of bash, in which {@code $hb} is the launcher; returns its stderr. */
  private String err(String launcher, String line) throws Exception {
    Path err = home.resolve("err");
    Files.deleteIfExists(err);
    Process process =
        new Program(home)
            .start(
                List.of("bash", "-c", launcher + "; " + line.replace("ERR", err.toString())),
                home.resolve("out"),
                home.resolve("unused"));
    process.waitFor(2, TimeUnit.MINUTES);
    return Files.readString(err) + Files.readString(home.resolve("unused"));
  }

  private static final String UNKNOWN =
      "helix-bg: there is no command %s\nhelix-bg: try: helix-bg --help\n";

  @Test
  void messagesArriveInOrderAndWithoutWarningsWhereverStderrLeads() throws Exception {
    String first = UNKNOWN.formatted("one; did you mean one-shot?");
    String expected = first + "between\n" + UNKNOWN.formatted("two") + "behind\n";
    String commands = "{ $hb one; echo between >&2; $hb two; echo behind >&2; }";
    assertEquals(expected, err(commands + " 2>ERR"));
    assertEquals(expected, err(commands + " 2>>ERR"));
    assertEquals(first, err("{ $hb one; } 2>&1 >/dev/null | cat > ERR"));
    assertEquals("helix-bg 0", err("$hb --version 2>&- | cut -c1-10 > ERR").strip(), "closed");
  }

  /** Kernels of language models need C2, and so do comparisons of vectors without machine code. */
  @Test
  void c2IsLeftOutOnlyWhereNothingNeedsIt() throws Exception {
    String shown = "$hb %s --help 2>&1 | grep -c emulated-client >> ERR; ";
    String commands =
        shown.formatted("one-shot")
            + shown.formatted("mcp")
            + shown.formatted("daemon")
            + shown.formatted("one-shot --set threads=1")
            + "mkdir -p ~/.helix/models; "
            + shown.formatted("one-shot")
            + "HELIX_BG_LLM_MODEL=a.gguf "
            + shown.formatted("one-shot")
            + "touch ~/.helix/models/a.gguf; "
            + shown.formatted("one-shot")
            + shown.formatted("mcp");
    String machineCode = MachineCode.runs("avx2") && MachineCode.has("fma") ? "1" : "0";
    assertEquals(
        "x,x,0,0,x,0,0,x".replace("x", machineCode),
        err("export HELIX_BG_LAUNCHER_JAVA_OPTIONS=-XshowSettings:properties; " + commands)
            .strip()
            .replace('\n', ','));
  }

  @Test
  void aCrashOfTheJvmIsDescribedInTheTempFolder() throws Exception {
    String files =
        err(
            "ulimit -c 0; mkdir temp here; export TMPDIR=$PWD/temp; cd here; "
                + "export HELIX_BG_LAUNCHER_JAVA_OPTIONS='-Xmx9m -XX:+CrashOnOutOfMemoryError'; "
                + "$hb one-shot --sample > ../said 2>&1; "
                + "{ ls ../temp | grep -c ^helix-bg-crash-; ls | grep -c .; } > ERR");
    assertTrue(files.startsWith("1\n0\n"), files); // bash's own message follows
  }

  /** Docker, cron and env -i set no locale. In the locale C, a JVM cannot open such a file. */
  @ParameterizedTest
  @ValueSource(strings = {"LC_ALL=C", "LC_ALL=", "LANG=xx_XX.UTF-8", "LC_ALL=POSIX LANG=C.UTF-8"})
  void namesOfFilesAreUtf8WhateverTheLocale(String locale) throws Exception {
    Path notes = Files.createDirectories(home.resolve("Größe"));
    Files.writeString(notes.resolve("Übung.md"), "Text.");
    String said = err("export " + locale + "; $hb verify --notes 'Größe' > ERR 2>&1");
    try (Stream<Path> files = Files.walk(new Program(home).cache())) {
      Path log = files.filter(file -> file.endsWith("data.log")).findFirst().orElseThrow();
      assertEquals("Größe", log.getParent().getFileName().toString(), said);
      assertTrue(Files.readString(log, ISO_8859_1).contains(utf8("[source: Übung.md]")), said);
    }
  }

  private static String utf8(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  /** A user who runs helix-bg in an unpacked archive must not run the archive's files. */
  @Test
  void nothingInTheWorkingFolderIsRun() throws Exception {
    for (String name : List.of("readlink", "dirname", "uname", "getconf", "sed", "find", "bash")) {
      Path trap = Files.writeString(home.resolve(name), "#!/bin/sh\necho run >> trapped\n");
      assertTrue(trap.toFile().setExecutable(true));
    }
    for (String path : List.of(".:$PATH", ":$PATH", "$PATH:", "$PATH:.")) {
      err("PATH=" + path + " $hb --version > ERR 2>&1");
    }
    assertFalse(Files.exists(home.resolve("trapped")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "JAVA_TOOL_OPTIONS=-XX:+UseG1GC",
        "_JAVA_OPTIONS=-Dx=1",
        "JDK_JAVA_OPTIONS=-XX:+UseParallelGC",
        "HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Xmx64m"
      })
  void optionsOfJavaPreventNoStart(String variable) throws Exception {
    String said = err(variable + " $hb --version > ERR 2>&1");
    assertTrue(said.startsWith("helix-bg 0"), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "dash"})
  void aWorkingFolderThatWasDeletedIsOneErrorAndPreventsNoMcpServer(String shell) throws Exception {
    assumeTrue(ExternalTool.succeeds("sh", "-c", "command -v " + shell), "no " + shell + " here");
    Path launcher = installation().resolve("bin/helix-bg");
    String run = "hb() { " + shell + " '" + launcher + "' \"$@\"; }; mkdir g; cd g; rmdir ../g";
    String said = err(run, "hb status > ERR 2>&1; echo $? >> ERR");
    assertTrue(
        said.contains(
            "helix-bg: the working folder no longer exists: change to another folder\n2\n"),
        said);
    assertFalse(said.contains("Error occurred"), said);
    String mcp = err(run, "hb mcp --print-config codex > ERR; echo $? >> ERR");
    assertTrue(mcp.contains("\n0\n"), mcp);
  }

  @Test
  void withoutHomeItIsThatOfTheAccount() throws Exception {
    String said = err("unset HOME; $hb config > ERR 2>&1; echo $? >> ERR");
    assertFalse(said.contains("unbound variable"), said);
    assertTrue(said.endsWith("\n0\n"), said);
  }

  @Test
  void whatCouldNotBePrintedIsAnError() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/full")));
    String expected = "helix-bg: not all of the output could be written: ";
    for (String command : List.of("--version", "--help", "config", "man", "search --help")) {
      String said = err("$hb " + command + " 2> ERR > /dev/full; echo $? >> ERR");
      assertTrue(said.startsWith(expected) && said.endsWith("\n6\n"), command + ": " + said);
    }
  }

  @Test
  void aReaderThatEndsEarlyIsNoError() throws Exception {
    for (String command : List.of("--help", "config", "man", "man --markdown")) {
      String said = err("{ $hb " + command + " 2> ERR; echo $? >> ERR; } | true");
      assertEquals("0\n", said, command);
    }
  }

  /**
   * Makes a partial installation, laid out as by {@code scripts/package}. It suffices for errors.
   */
  private Path installation() throws Exception {
    Path installed = home.resolve("an installation");
    Path lib = Files.createDirectories(installed.resolve("lib"));
    for (String from : List.of("daemon/target/dist/lib", "scripts/lib")) {
      try (Stream<Path> files = Files.list(Program.ROOT.resolve(from))) {
        for (Path file : files.filter(LauncherIT::isNeeded).toList()) {
          Files.copy(file, lib.resolve(file.getFileName()));
        }
      }
    }
    Path java = Files.createDirectories(installed.resolve("runtime/bin")).resolve("java");
    Files.writeString(
        java, "#!/bin/sh\nexec " + System.getProperty("java.home") + "/bin/java \"$@\"\n");
    assertTrue(java.toFile().setExecutable(true));
    Files.copy(Program.ROOT.resolve("scripts/fetch-models"), lib.resolve("fetch-models"));
    Path launcher = Files.createDirectories(installed.resolve("bin")).resolve("helix-bg");
    Files.copy(Program.ROOT.resolve("packaging/launcher"), launcher);
    return installed;
  }

  /** Whether refusing arguments needs a file; large jars of models and natives are not needed. */
  private static boolean isNeeded(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith("helix-bg") && name.endsWith(".jar")
        || file.toFile().length() < 4_000_000;
  }

  @Test
  void modelsAreFetchedByTheSameCommandInACheckoutAndInAnInstallation() throws Exception {
    for (String launcher : List.of("hb=$0", "hb='" + installation() + "/bin/helix-bg'")) {
      String listed = err(launcher, "\"$hb\" fetch-models list > ERR");
      assertTrue(listed.contains("This machine: "), listed);
      String wrong =
          err(launcher, "{ \"$hb\" fetch-models qwen4 > /dev/null; echo $? >&2; } 2> ERR");
      assertTrue(wrong.startsWith("Usage: helix-bg fetch-models "), wrong);
      assertTrue(wrong.endsWith("fetch-models: unknown argument: qwen4\n2\n"), wrong);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "sh", "dash"})
  void soDoesAnInstallationWhateverItsShell(String shell) throws Exception {
    assumeTrue(ExternalTool.succeeds("sh", "-c", "command -v " + shell), "no " + shell + " here");
    Path link = Files.createSymbolicLink(home.resolve("link"), installation());
    Path launcher = Files.createSymbolicLink(home.resolve("hb"), link.resolve("bin/helix-bg"));
    String run = "hb() { " + shell + " " + launcher + " \"$@\"; }; hb=hb";
    assertEquals(
        UNKNOWN.formatted("one; did you mean one-shot?") + "between\n" + UNKNOWN.formatted("two"),
        err(run, "{ $hb one; echo between >&2; $hb two; } 2>>ERR"));
    assertEquals("helix-bg 0", err(run, "$hb --version 2>&- | cut -c1-10 > ERR").strip());
    String relative =
        "cd link; export CDPATH=/nowhere:" + home + "/link; " + shell + " bin/helix-bg";
    assertEquals("helix-bg 0", err(relative + " --version 2>&1 | cut -c1-10 > ERR").strip());
    // the JVM's messages before the program starts go through the filter
    assertEquals(
        "Error: Unable to access jarfile no-such.jar",
        err(run, "HELIX_BG_LAUNCHER_JAVA_OPTIONS='-jar no-such.jar' $hb one 2>&1 | head -n 1 > ERR")
            .strip());
  }
}
