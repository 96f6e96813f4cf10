package dev.helixbg.daemon.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.CheckLine.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the doctor's check of a service whose daemon does not answer; in SystemdIT, it answers. */
class ServiceHealthTest {
  @TempDir Path folder;

  private DaemonHome home;
  private Path file;
  private Path launcher;

  @BeforeEach
  void service() throws IOException {
    home = new DaemonHome(Files.createDirectories(folder.resolve(".helix")));
    Files.createDirectories(home.logs());
    file = folder.resolve("unit");
    launcher = folder.resolve(".local/opt/helix-bg/current/bin/helix-bg");
  }

  private void launcherIsThere() throws IOException {
    Files.createDirectories(launcher.getParent());
    Files.createFile(
        launcher,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }

  private CheckLine check(State expected) {
    CheckLine check = ServiceHealth.check(file, home, Installation.ofUser(folder));
    assertEquals(expected, check.state(), check.toString());
    return check;
  }

  @Test
  void noneIsNoProblem() {
    assertTrue(check(State.OK).detail().startsWith("not installed"));
  }

  @Test
  void aProgramThatIsGoneIsAProblem() throws IOException {
    Files.writeString(file, "");
    assertEquals("the program of the service no longer exists", check(State.PROBLEM).detail());
    launcherIsThere();
    assertEquals("installed, but not running", check(State.NOTE).detail());
  }

  @Test
  void whatEndedByItselfIsAProblemUntilItRanAgain() throws IOException {
    launcherIsThere();
    Files.writeString(file, "");
    Files.writeString(
        home.serviceErrors(),
        "helix-bg: no knowledge base\nWARNING: Using incubator modules: jdk.incubator.vector\n\n");
    assertTrue(
        check(State.PROBLEM).detail().endsWith("its last message: helix-bg: no knowledge base"));
    Files.writeString(home.logFile(), "stopped\n");
    Files.setLastModifiedTime(home.logFile(), FileTime.from(Instant.now().plusSeconds(60)));
    check(State.NOTE);
  }
}
