package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.Program.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests scripts/install in a checkout whose build makes a program of a few lines. */
class InstallScriptTest {
  private static final Path SCRIPTS = Path.of("../scripts").toAbsolutePath();

  @TempDir Path folder;

  private Path checkout;
  private Path home;
  private Path opt;
  private String patience = "60";

  @BeforeEach
  void checkOut() throws Exception {
    checkout = Files.createDirectories(folder.resolve("a checkout"));
    home = Files.createDirectories(folder.resolve("my home"));
    opt = home.resolve(".local/opt/helix-bg");
    Files.createDirectories(checkout.resolve("scripts/lib"));
    Files.copy(SCRIPTS.resolve("install"), checkout.resolve("scripts/install"));
    for (String library : List.of("jdk.sh", "download.sh", "version.sh")) {
      Files.copy(
          SCRIPTS.resolve("lib").resolve(library),
          checkout.resolve("scripts/lib").resolve(library));
    }
    pom("0.1.0");
    // A program that notes what it is told, runs while the file 'runs' says so, and ends when it is
    // to.
    program(
        "scripts/package",
        """
        #!/usr/bin/env bash
        [ ! -e "$HOME/no-build" ] || exit 5
        mkdir -p "$2/bin" "$2/share/man/man1" "$2/share/bash-completion/completions"
        cat > "$2/bin/helix-bg" <<'END'
        #!/usr/bin/env bash
        echo "$*" >> "$HOME/told"
        case "$*" in
          "status --json") [ ! -e "$HOME/model-is-gone" ] || exit 5; [ -e "$HOME/runs" ] || exit 8; echo "{ \\"program\\" : \\"$(cd -P "$HOME" && pwd -P)/.local/opt/helix-bg/x/lib/helix-bg.jar\\" }" ;;
          stop) rm "$HOME/runs" ;;
          daemon*|mcp*)
            java=$(cd -P "$(dirname "$0")/.." && pwd -P)/runtime/bin/java
            exec -a "$java" bash -c 'touch "$HOME/begun"; until [ -e "$HOME/ends" ]; do sleep 0.1; done' "$@" ;;
          "service uninstall") rm "$HOME/.helix/service.json" ;;
        esac
        END
        chmod +x "$2/bin/helix-bg"
        """);
    git("init", "-q");
    commit("first");
  }

  private void program(String name, String text) throws IOException {
    Path file = checkout.resolve(name);
    Files.writeString(file, text);
    OnDisk.setMode(file, "rwxr-xr-x");
  }

  private void pom(String version) throws IOException {
    Files.writeString(checkout.resolve("pom.xml"), "<version>" + version + "</version>\n");
  }

  private void git(String... arguments) throws Exception {
    run(
        Stream.concat(
                Stream.of("git", "-c", "user.name=a", "-c", "user.email=a@b"), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private void commit(String what) throws Exception {
    source(what);
    git("add", "-A");
    git("commit", "-q", "-m", what);
  }

  private void source(String text) throws IOException {
    Path sources = Files.createDirectories(checkout.resolve("daemon/src/main/java"));
    Files.writeString(sources.resolve("A.java"), text);
  }

  private ProcessBuilder builder(String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(checkout.toFile());
    builder.environment().put("HOME", home.toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("HELIX_BG_LAUNCHER_ENDING_SECONDS", patience);
    return builder;
  }

  private Ended run(String... command) throws Exception {
    return ExternalTool.run(builder(command));
  }

  private Ended install(String... arguments) throws Exception {
    return run(script(arguments));
  }

  private String[] script(String... arguments) {
    return Stream.concat(
            Stream.of("bash", checkout.resolve("scripts/install").toString()), Stream.of(arguments))
        .toArray(String[]::new);
  }

  private String installed() throws Exception {
    Ended ended = install();
    assertEquals(0, ended.code(), ended.err());
    return Files.readSymbolicLink(opt.resolve("current")).toString();
  }

  private List<String> versions() throws IOException {
    try (Stream<Path> all = Files.list(opt)) {
      return all.filter(path -> Files.isDirectory(path) && !Files.isSymbolicLink(path))
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void linksOfEarlierVersionsAreDeletedAndOthersFilesAreNot() throws Exception {
    Path zsh = home.resolve(".local/share/zsh/site-functions/_helix-bg");
    Path fish = home.resolve(".local/share/fish/vendor_completions.d/helix-bg.fish");
    Files.createDirectories(zsh.getParent());
    Files.createDirectories(fish.getParent());
    Path former = Path.of("../../../opt/helix-bg/current/share/zsh/site-functions/_helix-bg");
    Files.createSymbolicLink(zsh, former);
    Files.writeString(fish, "of the user");
    installed();
    assertFalse(Files.isSymbolicLink(zsh));
    assertEquals("of the user", Files.readString(fish));
  }

  /** Some people keep the files of their home in another folder, and link to it. */
  @Test
  void aFolderOfProgramsMayBeALink() throws Exception {
    Path programs = Files.createDirectories(home.resolve("dotfiles/local/bin"));
    Files.createDirectories(home.resolve(".local"));
    Files.createSymbolicLink(home.resolve(".local/bin"), programs);
    Path start = programs.resolve("helix-bg");
    Path former = Path.of("../opt/helix-bg/current/bin/helix-bg");
    Files.createSymbolicLink(start, former);
    String version = installed();
    assertEquals(opt.resolve(version).resolve("bin/helix-bg").toRealPath(), start.toRealPath());
    assertEquals(0, install("--uninstall").code());
    assertFalse(Files.isSymbolicLink(start));
    Files.createSymbolicLink(start, former);
    assertEquals(0, install("--uninstall").code());
    assertFalse(Files.isSymbolicLink(start), "of an earlier version");
  }

  @Test
  void theScriptMayBeCalledByALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("i"), checkout.resolve("scripts/install"));
    Ended ended = run("bash", link.toString(), "--help");
    assertEquals(0, ended.code(), ended.err());
  }

  @Test
  void eachScriptForgetsCdpathBeforeItChangesFolders() throws Exception {
    for (Path scripts : List.of(SCRIPTS, SCRIPTS.resolveSibling("packaging"))) {
      try (Stream<Path> files = Files.list(scripts)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String text = Files.readString(file);
          int cd = text.indexOf("cd \"$(dirname");
          int unset = text.indexOf("\nunset CDPATH");
          assertTrue(cd < 0 || unset >= 0 && unset < cd, file.toString());
        }
      }
    }
  }

  /** The version number stays the same over hundreds of commits. */
  @Test
  void theNewestIsCurrentAndTheOneBeforeIsKept() throws Exception {
    String first = installed();
    assertTrue(first.matches("0\\.1\\.0\\+[0-9a-f]{10}"), first);
    Path start = home.resolve(".local/bin/helix-bg");
    assertEquals(opt.resolve(first).resolve("bin/helix-bg").toRealPath(), start.toRealPath());
    assertTrue(Files.isDirectory(home.resolve(".local/share/man/man1")));
    assertEquals(first, installed(), "the same commit is the same build");
    assertEquals(List.of(first), versions());
    commit("second");
    String second = installed();
    assertTrue(second.matches("0\\.1\\.0\\+[0-9a-f]{10}"), second);
    assertEquals(Stream.of(first, second).sorted().toList(), versions());
    assertEquals(second, installed());
    assertEquals(2, versions().size(), "what was before is still what was before");
    source("changed");
    String changed = installed();
    assertTrue(changed.matches("\\Q" + second + "\\E-dirty-[0-9a-f]{8}"), changed);
    assertEquals(List.of(second, changed), versions());
    assertEquals(changed, installed(), "the same changes are the same build");
    source("changed again");
    String again = installed();
    assertFalse(again.equals(changed));
    assertEquals(Stream.of(changed, again).sorted().toList(), versions());
    pom("0.2.0");
    commit("third");
    assertTrue(installed().matches("0\\.2\\.0\\+[0-9a-f]{10}"));
  }

  /** An unpacked archive of the sources has no git history. */
  @Test
  void withoutGitABuildIsCalledByItsSources() throws Exception {
    Torture.delete(checkout.resolve(".git"));
    String first = installed();
    assertTrue(first.matches("0\\.1\\.0\\+src-[0-9a-f]{8}"), first);
    Files.writeString(checkout.resolve("notes"), "of no build");
    assertEquals(first, installed());
    source("changed");
    String changed = installed();
    assertEquals(Stream.of(first, changed).sorted().toList(), versions());
    git(
        "-C",
        folder.toString(),
        "init",
        "-q"); // the sources are inside the checkout of another project
    git("-C", folder.toString(), "commit", "-q", "--allow-empty", "-m", "x");
    assertEquals(changed, installed());
  }

  @Test
  void aBuildThatFailsChangesNothing() throws Exception {
    String first = installed();
    commit("second");
    Files.createFile(home.resolve("no-build"));
    Ended ended = install();
    assertEquals(5, ended.code());
    assertEquals(List.of(first), versions());
    assertEquals(first, Files.readSymbolicLink(opt.resolve("current")).toString());
  }

  @Test
  void whatIsNotOursIsNotReplaced() throws Exception {
    Path start = home.resolve(".local/bin/helix-bg");
    Files.createDirectories(start.getParent());
    Files.writeString(start, "mine");
    Ended ended = install();
    assertEquals(6, ended.code());
    assertTrue(ended.err().contains("move it away first"), ended.err());
    assertEquals("mine", Files.readString(start));
    assertEquals(0, install("--uninstall").code());
    assertEquals("mine", Files.readString(start));
    assertEquals(2, install("--explode").code());
  }

  /** The status may fail: in older versions, it fails if the language model is missing. */
  @ParameterizedTest
  @ValueSource(strings = {"runs", "runs model-is-gone"})
  void theServiceIsRestartedWhereItRunsAndEndedBeforeItGoes(String states) throws Exception {
    Path told = home.resolve("told");
    Files.createDirectories(home.resolve(".helix"));
    Files.createFile(home.resolve(".helix/service.json"));
    installed();
    assertFalse(Files.readString(told).contains("restart"), "it was stopped, and stays so");
    for (String state : states.split(" ")) {
      Files.createFile(home.resolve(state));
    }
    commit("second");
    installed();
    assertTrue(Files.readString(told).endsWith("service restart\n"), Files.readString(told));
    Ended gone = install("--uninstall");
    assertEquals(0, gone.code(), gone.err());
    assertTrue(
        Files.readString(told).endsWith("service uninstall\nstatus --json\nstop\n"),
        Files.readString(told));
    assertFalse(Files.exists(opt));
    assertFalse(Files.isSymbolicLink(home.resolve(".local/bin/helix-bg")));
  }

  /** A daemon does not answer after 'service stop', and an MCP server never answers. */
  @ParameterizedTest
  @ValueSource(strings = {"daemon", "mcp"})
  void underWhatHasNotEndedNothingIsDeleted(String command) throws Exception {
    String first = installed();
    Path program = opt.resolve(first).resolve("bin/helix-bg");
    ProcessBuilder builder = new ProcessBuilder(program.toString(), command, "a kb");
    builder.environment().put("HOME", home.toString());
    Process daemon = builder.start();
    try {
      while (!Files.exists(home.resolve("begun"))) {
        Thread.sleep(10);
      }
      patience = "0";
      Ended refused = install("--uninstall");
      assertEquals(6, refused.code(), refused.err());
      assertTrue(
          refused
              .err()
              .contains(
                  "helix-bg still runs, as a daemon or for an agent (process "
                      + daemon.pid()
                      + ")"),
          refused.err());
      assertTrue(Files.exists(program));
      for (String next : List.of("second", "third")) {
        commit(next);
        installed();
      }
      assertTrue(Files.exists(program), "it still runs out of the first");
      patience = "60";
      Process uninstall = builder(script("--uninstall")).start();
      assertFalse(uninstall.waitFor(1, TimeUnit.SECONDS), "it is to wait");
      assertTrue(Files.exists(program));
      Files.createFile(home.resolve("ends"));
      assertTrue(uninstall.waitFor(1, TimeUnit.MINUTES), "it does not end");
      assertEquals(0, uninstall.exitValue());
      assertFalse(Files.exists(opt));
    } finally {
      daemon.destroyForcibly();
    }
  }

  /** GNU mv and busybox mv have the option -T; BSD mv has -h. */
  @ParameterizedTest
  @CsvSource({"-Tf, 0", "-fh, 0", "none, 6"})
  void aLinkIsReplacedWithTheOptionThatMvKnows(String known, int code) throws Exception {
    Files.createDirectories(checkout.resolve("bin"));
    program(
        "bin/mv",
        """
        #!/usr/bin/env bash
        case $1 in
          %s) rm -f "$3"; exec /bin/mv "$2" "$3" ;;
          /*) exec /bin/mv "$@" ;;
        esac
        exit 1
        """
            .formatted(known));
    Ended ended = run("bash", "-c", "PATH=$PWD/bin:$PATH exec bash scripts/install");
    assertEquals(code, ended.code(), ended.err());
    assertTrue(OnDisk.names(opt).stream().noneMatch(name -> name.contains(".new.")));
  }
}
