package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service commands of the built program, with a systemctl that only notes what it is told. */
class ServiceIT {
  @TempDir Path home;

  private Program program;
  private Path told;
  private Path unit;
  private Path kb;

  @BeforeEach
  void fakeSystemctl() throws IOException {
    assumeTrue(!System.getProperty("os.name").startsWith("Mac"), "systemd is Linux's");
    told = home.resolve("told");
    unit = home.resolve(".config/systemd/user/helix-bg.service");
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path systemctl = bin.resolve("systemctl");
    Files.writeString(
        systemctl,
        """
        #!/bin/sh
        echo "$*" >> '%s'
        [ ! -e '%s' ] || { echo 'Failed to connect to bus'; exit 1; }
        case "$*" in *status*) echo 'Active: inactive (dead)'; exit 3;; esac
        """
            .formatted(told, home.resolve("no-bus")));
    Files.setPosixFilePermissions(systemctl, PosixFilePermissions.fromString("rwxr-xr-x"));
    program = new Program(home).with("PATH", bin + ":" + System.getenv("PATH"));
    WritableKb writer = new WritableKb(home.resolve("my kb"), new Random(1));
    writer.append();
    kb = writer.kb().folder();
  }

  private List<String> told() throws IOException {
    List<String> lines = Files.readAllLines(told);
    Files.delete(told);
    return lines;
  }

  private Program.Ended succeed(String... arguments) throws Exception {
    Program.Ended ended = program.run(arguments);
    assertEquals(0, ended.code(), ended.err());
    return ended;
  }

  private String fail(ExitCode code, String... arguments) throws Exception {
    Program.Ended ended = program.run(arguments);
    assertEquals(code.number(), ended.code(), ended.err());
    assertEquals(1, ended.err().lines().count(), ended.err());
    return ended.err();
  }

  @Test
  void aDryRunShowsEverythingAndDoesNothing() throws Exception {
    String shown = succeed("service", "install", "--dry-run", kb.toString()).out();
    assertTrue(shown.contains("# would write " + unit), shown);
    assertTrue(shown.contains("daemon \"" + kb + "\""), shown);
    assertTrue(shown.contains("# would run: systemctl --user enable helix-bg.service"), shown);
    assertTrue(shown.contains("enable-linger"), shown);
    for (String action : List.of("uninstall", "start", "stop", "restart", "status")) {
      assertTrue(succeed("service", action, "--dry-run").out().contains("# would run"), action);
    }
    assertFalse(Files.exists(told), "systemctl was called");
    assertFalse(Files.exists(unit));
  }

  @Test
  void installAndUninstallWriteTheUnitAndTellSystemd() throws Exception {
    succeed("service", "install", kb.toString());
    assertEquals(
        List.of(
            "--user daemon-reload",
            "--user enable helix-bg.service",
            "--user restart helix-bg.service"),
        told());
    String written = Files.readString(unit);
    assertTrue(written.contains("ReadWritePaths=\"-" + kb + "\"\n"), written);
    for (Path folder : List.of(home.resolve(".helix/logs"), program.cache())) {
      assertTrue(Files.isDirectory(folder), "systemd cannot make writable what is not there");
    }
    for (String action : List.of("start", "stop", "restart")) {
      succeed("service", action);
      assertEquals(List.of("--user " + action + " helix-bg.service"), told());
    }
    Files.writeString(home.resolve(".helix/helix-bg.toml"), "no such setting = 1\n");
    assertEquals(ExitCode.USAGE.number(), program.run("service", "install").code());
    succeed("service", "uninstall"); // wrong settings do not keep it alive
    assertEquals(List.of("--user disable --now helix-bg.service", "--user daemon-reload"), told());
    assertFalse(Files.exists(unit));
  }

  @Test
  void statusSaysWhatSystemdSaysAndWhetherItRuns() throws Exception {
    Program.Ended ended = program.run("service", "status");
    assertEquals(ExitCode.NO_DAEMON.number(), ended.code());
    assertEquals("Active: inactive (dead)\n", ended.out());
    assertEquals("helix-bg: the service is not running\n", ended.err());
  }

  @Test
  void whatSystemdRefusesIsOneLine() throws Exception {
    Files.createFile(home.resolve("no-bus"));
    String told = fail(ExitCode.WRITE, "service", "install", kb.toString());
    assertTrue(told.contains("systemctl --user daemon-reload failed (1): Failed to connect"), told);
    fail(ExitCode.USAGE, "service", "explode");
    fail(ExitCode.KB, "service", "install", home.resolve("nowhere").toString());
  }

  @Test
  void logsAreThoseOfTheDaemon() throws Exception {
    String none = fail(ExitCode.NO_DAEMON, "service", "logs");
    assertTrue(none.contains(".helix/logs/helix-bg.log"), none);
    Path logs = Files.createDirectories(home.resolve(".helix/logs"));
    Files.writeString(logs.resolve("helix-bg.log"), "first\nkb: grüße\n");
    assertEquals("first\nkb: grüße\n", succeed("service", "logs").out());
  }
}
