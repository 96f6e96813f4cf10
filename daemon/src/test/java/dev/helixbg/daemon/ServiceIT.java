package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.control.ControlServer.ControlLimits;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the service commands of the built program, with a fake systemctl and launchctl that only
 * log their arguments, and with a fake installation.
 */
class ServiceIT {
  private static final List<String> RESTARTED =
      List.of("--user show-environment", "--user daemon-reload", "--user restart helix-bg.service");

  @TempDir Path home;

  private Program program;
  private Path told;
  private Path unit;
  private Path plist;
  private Path launcher;
  private Path kb;
  private ControlServer daemon;

  @BeforeEach
  void fakeServiceManagers() throws IOException {
    assumeTrue(!System.getProperty("os.name").startsWith("Mac"), "systemd is Linux's");
    told = home.resolve("told");
    unit = home.resolve(".config/systemd/user/helix-bg.service");
    plist = home.resolve("Library/LaunchAgents/dev.helixbg.daemon.plist");
    script(
        "bin/systemctl",
        """
        #!/bin/sh
        echo "$*" >> '%1$s/told'
        [ ! -e '%1$s/no-bus' ] || { echo 'Failed to connect to bus'; exit 1; }
        case "$*" in *show-environment*) echo PATH=/bin;; *status*) echo 'Active: inactive (dead)'; exit 3;; esac
        """);
    // The fake bootout returns at once, but the service exists for three more queries; until then,
    // bootstrap fails.
    script(
        "bin/launchctl",
        """
        #!/bin/sh
        cd '%s'
        echo "$*" >> told
        case $1 in
          print)
            [ "$2" != "gui/$(id -u)" ] || [ ! -e no-gui ] || exit 113
            case $2 in
              */dev.helixbg.daemon)
                [ "$2" = "$(cat loaded)" ] || exit 113
                [ -s ending ] || exit 0
                sed -i 1d ending
                [ -s ending ] || rm loaded ending
                ;;
            esac
            ;;
          bootout)
            [ -e loaded ] || exit 3
            printf '1\\n2\\n3\\n' > ending
            ;;
          bootstrap)
            [ ! -e loaded ] || { echo 'Bootstrap failed: 5: Input/output error'; exit 5; }
            echo "$2/dev.helixbg.daemon" > loaded
            ;;
        esac 2> /dev/null
        """);
    launcher = home.resolve(".local/opt/helix-bg/current/bin/helix-bg");
    script(".local/opt/helix-bg/0.1.0/bin/helix-bg", "#!/bin/sh\n");
    Files.createSymbolicLink(home.resolve(".local/opt/helix-bg/current"), Path.of("0.1.0"));
    program = new Program(home).withoutC2();
    program.with("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
    kb = kb("my kb");
    answerAs(true);
  }

  /**
   * Starts a server that reports the status of a daemon started by a service manager or by a user.
   */
  private void answerAs(boolean service) throws IOException {
    end();
    ObjectNode status = new ObjectMapper().createObjectNode().put("service", service).put("pid", 5);
    Path socket = new DaemonHome(home.resolve(".helix")).socket();
    daemon = ControlServer.start(socket, _ -> List.of(status), ControlLimits.USUAL);
  }

  @AfterEach
  void end() throws IOException {
    if (daemon != null) {
      daemon.close();
      daemon = null;
    }
  }

  private void script(String name, String text) throws IOException {
    Path script = home.resolve(name);
    Files.createDirectories(script.getParent());
    Files.writeString(script, text.formatted(home));
    OnDisk.setMode(script, "rwxr-xr-x");
  }

  private Path kb(String name) throws IOException {
    WritableKb writer = new WritableKb(home.resolve(name), new Random(1));
    writer.append();
    return writer.kb().folder();
  }

  private void onMac() {
    program.with(Program.JAVA_OPTIONS, Program.WITHOUT_C2 + " -Dos.name=Mac");
  }

  private List<String> told() throws IOException {
    List<String> lines = Files.readAllLines(told);
    Files.delete(told);
    return lines;
  }

  /** Runs a service command that succeeds, and returns what it prints. */
  private String succeed(String... arguments) throws Exception {
    return service(arguments).ok().out();
  }

  /** Runs a service command that fails, and returns its only line on stderr. */
  private String fail(ExitCode code, String... arguments) throws Exception {
    String said = service(arguments).with(code).err();
    assertEquals(1, said.lines().count(), said);
    return said;
  }

  private Program.Ended service(String... arguments) throws Exception {
    Stream<String> all = Stream.concat(Stream.of("service"), Stream.of(arguments));
    return program.run(all.toArray(String[]::new));
  }

  @Test
  void aDryRunShowsEverythingAndDoesNothing() throws Exception {
    String shown = succeed("install", "--dry-run", kb.toString());
    assertTrue(shown.contains("# would write " + unit), shown);
    assertTrue(shown.contains("# would run: systemctl --user enable " + unit), shown);
    for (String action : List.of("uninstall", "start", "stop", "restart", "status")) {
      assertTrue(succeed(action, "--dry-run").contains("# would run"), action);
    }
    assertFalse(Files.exists(told), "systemctl was called");
    assertFalse(Files.exists(unit));
  }

  @Test
  void installAndUninstallWriteTheUnitAndTellSystemd() throws Exception {
    succeed("install", kb.toString());
    assertEquals(
        List.of(
            "--user show-environment",
            "--user daemon-reload",
            "--user enable " + unit,
            "--user restart helix-bg.service"),
        told());
    String written = Files.readString(unit);
    assertTrue(written.contains("ReadWritePaths=\"-" + kb + "\"\n"), written);
    assertTrue(written.contains("\nExecStart=" + launcher + " daemon "), written);
    for (Path folder : List.of(home.resolve(".helix/logs"), program.cache())) {
      assertTrue(Files.isDirectory(folder), "systemd cannot make writable what is not there");
    }
    for (String action : List.of("start", "stop")) {
      succeed(action);
      assertEquals(List.of("--user " + action + " helix-bg.service"), told());
    }
    Files.writeString(unit, "of another version");
    succeed("restart");
    assertEquals(RESTARTED, told());
    assertEquals(written, Files.readString(unit));
    Files.writeString(home.resolve(".helix/helix-bg.toml"), "no such setting = 1\n");
    service("install").with(ExitCode.USAGE);
    end();
    succeed("uninstall"); // wrong settings do not prevent the uninstall
    assertEquals(List.of("--user disable --now helix-bg.service", "--user daemon-reload"), told());
    assertFalse(Files.exists(unit));
    assertFalse(Files.exists(home.resolve(".helix/service.json")));
  }

  @Test
  void aServiceThatDoesNotRunAfterItsStartIsAnError() throws Exception {
    answerAs(false);
    String byHand = fail(ExitCode.BUSY, "install", kb.toString());
    assertTrue(byHand.contains("started by hand: process 5. Run: helix-bg stop"), byHand);
    end();
    Path logs = Files.createDirectories(home.resolve(".helix/logs"));
    Files.writeString(logs.resolve("service.err"), "helix-bg: no such file\n");
    Program.Ended ended = service("restart").with(ExitCode.WRITE);
    assertEquals("", ended.out());
    assertEquals(
        "helix-bg: the service does not answer; its last message: helix-bg: no such file\n",
        ended.err());
  }

  @Test
  void onlyInstallTakesKnowledgeBasesAndTheyMustExist() throws Exception {
    fail(ExitCode.KB, "install", home.resolve("nowhere").toString());
    String said = fail(ExitCode.USAGE, "stop", "extra", "words");
    assertTrue(said.contains("only 'install' takes knowledge bases, not 'stop'"), said);
  }

  @Test
  void aCheckoutIsNotRun() throws Exception {
    Files.delete(home.resolve(".local/opt/helix-bg/current"));
    String said = fail(ExitCode.USAGE, "install", kb.toString());
    assertTrue(said.contains("scripts/install"), said);
    assertFalse(Files.exists(unit));
    succeed("restart"); // the service was installed by an older version
  }

  /**
   * The KB may be on a disk that is not mounted. A folder made in its place would be in the way.
   */
  @Test
  void noFolderIsMadeForAKnowledgeBaseThatIsNotThere() throws Exception {
    Path other = kb("other");
    succeed("install", kb.toString(), other.toString());
    Files.move(other, home.resolve("unmounted"));
    succeed("restart");
    assertFalse(Files.exists(other), "made by restart");
    assertTrue(Files.readString(unit).contains("ReadWritePaths=-" + other + "\n"), "still watched");
  }

  /** systemd has neither the shell's XDG_CONFIG_HOME nor its working folder. */
  @Test
  void whatTheServiceWasToldIsKeptByARestart() throws Exception {
    Path config = Files.writeString(home.resolve("my.toml"), "threads = 1\n");
    program.with("XDG_CONFIG_HOME", home.resolve("cfg").toString());
    program.with("HELIX_BG_CONFIG", "my.toml");
    program.with(Program.JAVA_OPTIONS, "-Xmx200m " + Program.WITHOUT_C2);
    program.with("HELIX_BG_LLM_SECONDS", "7");
    program.with("XDG_STATE_HOME", home.resolve("states").toString());
    succeed("install", kb.toString(), "--config", "my.toml", "--set", "llm.seconds=9");
    assertTrue(told().contains("--user enable " + unit));
    program.with("HELIX_BG_LLM_SECONDS", "8");
    program.with("XDG_STATE_HOME", home.resolve("others").toString());
    succeed("restart");
    assertEquals(RESTARTED, told());
    String written = Files.readString(unit);
    Path states = home.resolve("states");
    for (String line :
        List.of(
            "ExecStart=%s daemon --config %s --set llm.seconds=9 \"%s\""
                .formatted(launcher, config, kb),
            "Environment=HELIX_BG_CONFIG=" + config,
            "Environment=HELIX_BG_LLM_SECONDS=7",
            "Environment=XDG_STATE_HOME=" + states,
            "ReadWritePaths=-" + states + "/helix-bg")) {
      assertTrue(written.lines().anyMatch(line::equals), line + " in\n" + written);
    }
    assertTrue(written.contains("JAVA_OPTIONS=-Xmx200m "), written);
    Files.writeString(home.resolve(".helix/service.json"), "{\"kbs\": 5");
    String damaged = fail(ExitCode.USAGE, "restart");
    assertTrue(damaged.contains("service.json is damaged"), damaged);
    assertFalse(Files.exists(told), "a service was touched that stays as it is");
    succeed("uninstall");
  }

  @Test
  void launchdIsAskedAgainOnceTheOldServiceHasEnded() throws Exception {
    onMac();
    String gui = "gui/" + Files.getAttribute(home, "unix:uid");
    String service = gui + "/dev.helixbg.daemon";
    String bootstrap = "bootstrap " + gui + " " + plist;
    succeed("install", kb.toString());
    assertEquals(
        List.of("bootout " + service, "print " + service, bootstrap), toldAfterSearch(gui));
    String written = Files.readString(plist);
    assertTrue(written.contains("<string>" + launcher + "</string>"), written);
    String print = "print " + service;
    succeed("install", kb.toString());
    assertEquals(
        List.of("bootout " + service, print, print, print, print, bootstrap), toldAfterSearch(gui));
    succeed("restart");
    assertEquals(bootstrap, told().getLast());
    succeed("stop");
    assertFalse(Files.exists(home.resolve("loaded")), "stop came back before it had stopped");
    told();
    succeed("start");
    assertEquals("kickstart " + service, told().getLast());
    succeed("uninstall");
    assertFalse(Files.exists(plist));
  }

  /** Returns launchctl's arguments after the search for the domain. */
  private List<String> toldAfterSearch(String domain) throws IOException {
    List<String> lines = told();
    lines.removeIf(line -> line.equals("print " + domain));
    int search = lines.indexOf("bootout " + domain + "/dev.helixbg.daemon");
    return lines.subList(search, lines.size());
  }

  @Test
  void whoeverIsNotLoggedInAtTheScreenHasADomainToo() throws Exception {
    onMac();
    Files.createFile(home.resolve("no-gui"));
    String user = "user/" + Files.getAttribute(home, "unix:uid");
    succeed("install", kb.toString());
    assertEquals("bootstrap " + user + " " + plist, told().getLast());
    script("bin/launchctl", "#!/bin/sh\nexit 113\n");
    String said = fail(ExitCode.WRITE, "install", kb.toString());
    assertTrue(said.contains("launchd has no domain gui/"), said);
  }

  @Test
  void statusSaysWhatSystemdSaysAndWhetherItRuns() throws Exception {
    Program.Ended ended = service("status").with(ExitCode.NO_DAEMON);
    assertEquals("Active: inactive (dead)\n", ended.out());
    assertEquals("helix-bg: the service is not running\n", ended.err());
  }

  @Test
  void whatSystemdRefusesIsOneLine() throws Exception {
    Files.createFile(home.resolve("no-bus"));
    end();
    String told = fail(ExitCode.WRITE, "install", kb.toString());
    assertTrue(told.contains("the user's systemd does not answer"), told);
    assertTrue(told.contains("Failed to connect to bus"), told);
    for (Path file : List.of(unit, home.resolve(".helix/service.json"))) {
      assertFalse(Files.exists(file), "written");
      Files.createDirectories(file.getParent());
      Files.writeString(file, "of an earlier version, which failed");
    }
    answerAs(true);
    fail(ExitCode.WRITE, "uninstall");
    assertTrue(Files.exists(unit), "its daemon still runs");
    end();
    succeed("uninstall");
    for (Path file : List.of(unit, home.resolve(".helix/service.json"))) {
      assertFalse(Files.exists(file), "it would block each later uninstall");
    }
  }

  @Test
  void logsAreThoseOfTheDaemon() throws Exception {
    String none = fail(ExitCode.NO_DAEMON, "logs");
    assertTrue(none.contains(".helix/logs/helix-bg.log"), none);
    Path logs = Files.createDirectories(home.resolve(".helix/logs"));
    Files.writeString(logs.resolve("helix-bg.log"), "first\nkb: grüße\n");
    assertEquals("first\nkb: grüße\n", succeed("logs"));
    Path errors = Files.writeString(logs.resolve("service.err"), "helix-bg: no\n");
    assertEquals(
        "first\nkb: grüße\n--- stderr of the service, " + errors + "\nhelix-bg: no\n",
        succeed("logs"));
  }
}
