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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor says of a service whose daemon does not answer; SystemdIT has one that does. */
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
    launcher = folder.resolve("100% \\ & <mine>/bin/helix-bg");
  }

  private ServiceSpec spec() {
    return new ServiceSpec(
        folder,
        launcher,
        new ServiceRequest(List.of(folder), List.of(), Optional.empty(), Map.of(), Map.of()),
        List.of(),
        home.serviceErrors());
  }

  private void install(String text) throws IOException {
    Files.writeString(file, text);
  }

  private void launcherIsThere() throws IOException {
    Files.createDirectories(launcher.getParent());
    Files.createFile(
        launcher,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }

  private CheckLine check(State expected) {
    CheckLine check = ServiceHealth.check(file, home);
    assertEquals(expected, check.state(), check.toString());
    return check;
  }

  @Test
  void noneIsNoProblem() {
    assertTrue(check(State.OK).detail().startsWith("not installed"));
  }

  @Test
  void whatItStartsIsReadFromEitherFormat() throws IOException {
    for (String text : List.of(SystemdUnit.of(spec()), LaunchdPlist.of(spec()))) {
      install(text);
      assertTrue(check(State.PROBLEM).detail().contains(launcher + " is not there any more"), text);
    }
    launcherIsThere();
    for (String text : List.of(SystemdUnit.of(spec()), LaunchdPlist.of(spec()))) {
      install(text);
      assertEquals("installed, but not running", check(State.NOTE).detail(), text);
    }
  }

  @Test
  void oneThatRunsTheJarOfACheckoutIsToBeInstalledAnew() throws IOException {
    for (String text :
        List.of("ExecStart=/usr/bin/java -jar /home/ada/helix-bg.jar daemon\n", "", "\0")) {
      install(text);
      assertEquals("helix-bg service install", check(State.PROBLEM).remedy());
    }
  }

  @Test
  void whatEndedByItselfIsAProblemUntilItRanAgain() throws IOException {
    launcherIsThere();
    install(SystemdUnit.of(spec()));
    Files.writeString(
        home.serviceErrors(),
        "helix-bg: no knowledge base\nWARNING: Using incubator modules: jdk.incubator.vector\n\n");
    assertTrue(check(State.PROBLEM).detail().endsWith("it last said: helix-bg: no knowledge base"));
    Files.writeString(home.logFile(), "stopped\n");
    Files.setLastModifiedTime(home.logFile(), FileTime.from(Instant.now().plusSeconds(60)));
    check(State.NOTE);
  }
}
