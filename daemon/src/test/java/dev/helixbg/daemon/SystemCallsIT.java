package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Watches the system calls of the built program. It must open no connection, and write only files
 * that are promised. In the folder of a KB, it may read only {@code data.log}, and must write each
 * file under a temporary name, and rename it.
 */
@Timeout(900)
class SystemCallsIT {
  private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\((.*)$");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final String MADE = ".helix-bg.tmp";
  private static final Set<String> OUTPUTS =
      Set.of(
          "embeddings.bin", "insights/report.html", "insights/report.md", "insights/report.json");

  /** Work folder, outside the temp folder, in which the program may write any file. */
  private static final Path BASE = Path.of("target/system-calls").toAbsolutePath();

  private final Path home = BASE.resolve("home");
  private final Path trace = BASE.resolve("trace");
  private final Path out = BASE.resolve("out");
  private final Program program = new Program(home);
  private WritableKb kb;

  /** Beginnings of the paths that may be written to. */
  private final List<String> promised = new ArrayList<>();

  @BeforeAll
  static void straceIsThere() {
    ExternalTool.require("strace");
  }

  @BeforeEach
  void startWithAKbWithFindings() throws IOException {
    Torture.delete(BASE);
    Files.createDirectories(home);
    kb = new WritableKb(BASE.resolve("kb"), new Random(1));
    for (String topic : List.of("queue", "jobs")) {
      kb.append(topic, "The lease of a job in the queue ends after thirty seconds of silence.");
    }
    for (Path path :
        List.of(
            kb.kb().folder().resolve("embeddings.bin"),
            kb.kb().folder().resolve(".embeddings.bin."), // temporary name
            kb.kb().insights(),
            program.stores().settings().state(),
            program.cache())) {
      promised.add(path.toString());
    }
    // The program may use the temp folder, also if the tests have their files elsewhere.
    promised.addAll(List.of("/tmp/", "/dev/", "/proc/self/"));
  }

  private String at() {
    return kb.kb().folder().toString();
  }

  /** Returns the strace command; with --seccomp-bpf, only these calls stop the program. */
  private List<String> strace() {
    return List.of(
        Program.words("strace -f --seccomp-bpf -qq -s 4096 -e trace=%file,%network -o %", trace));
  }

  private String traced(String... arguments) throws Exception {
    String said = program.run(strace(), arguments).ok().out();
    assertPromisesAreKept(String.join(" ", arguments));
    return said;
  }

  private void assertPromisesAreKept(String run) throws IOException {
    assertNoCall(call -> reachesOut(call) || isForbidden(call), run);
  }

  private void assertNoCall(Predicate<String> forbidden, String run) throws IOException {
    List<String> calls = Files.readAllLines(trace);
    assertTrue(calls.size() > 100, run + ": strace saw " + calls.size() + " calls");
    assertEquals(List.of(), calls.stream().filter(forbidden).toList(), run);
  }

  private void assertSaw(String call) throws IOException {
    try (Stream<String> calls = Files.lines(trace)) {
      assertTrue(calls.anyMatch(line -> line.contains(call)), "strace saw no " + call);
    }
  }

  private void assertSawTheLog() throws IOException {
    assertSaw("\"" + kb.log() + "\", O_RDONLY");
  }

  /** Even with the most open umask, only the user can access files that the program trusts. */
  @Test
  void aFirstRunKeepsItsPromisesAndItsFilesToItself() throws Exception {
    List<String> wrapper = new ArrayList<>(List.of("sh", "-c", "umask 000; exec \"$@\"", "sh"));
    wrapper.addAll(strace());
    program.run(wrapper, "one-shot", "--sample").ok();
    assertPromisesAreKept("one-shot --sample");
    assertSaw("embeddings.bin");
    for (Path root : List.of(program.cache(), program.stores().settings().state())) {
      try (Stream<Path> all = Files.walk(root)) {
        for (Path file : all.toList()) {
          String mode = OnDisk.mode(file);
          assertTrue(mode.endsWith("------"), file + " " + mode);
        }
      }
    }
  }

  @Test
  void aRunWithALanguageModelKeepsItsPromisesAndLeavesTheLogAsItIs() throws Exception {
    Path models = Files.createDirectories(home.resolve(".helix/models"));
    Files.copy(GoldenModel.Q4_K_M.path(), models.resolve("golden.gguf"));
    byte[] before = Files.readAllBytes(kb.log());
    program.withModel();
    traced("one-shot", at());
    assertSaw("golden.gguf");
    assertSaw("kb.db");
    assertArrayEquals(before, Files.readAllBytes(kb.log()));
    assertEquals(List.of("data.log", "embeddings.bin", "insights"), OnDisk.names(kb.kb().folder()));
  }

  /**
   * The tokenizer's library imports network functions, for downloads that helix-bg never requests.
   * The environment tells this library, DJL, to use the network.
   */
  @Test
  void startedBareAndAskedToCallHomeItConnectsNowhere() throws Exception {
    Program bare =
        program
            .withModel()
            .withoutLauncher()
            .with("DJL_OFFLINE", "false")
            .with("OPT_OUT_TRACKING", "false")
            .with("RUST_FLAVOR", "cu122")
            .with("DJL_CACHE_DIR", "/nonexistent")
            .with("ORT_DISABLE_TELEMETRY", "0");
    bare.run(strace(), "one-shot", at()).ok();
    assertSaw("embeddings.bin");
    assertNoCall(SystemCallsIT::reachesOut, "started bare");
  }

  @Test
  void commandsKeepTheirPromises() throws Exception {
    program.withModel().withoutC2();
    traced("one-shot", at());
    assertSawTheLog();
    for (String output : OUTPUTS) {
      assertTrue(Files.exists(kb.kb().folder().resolve(output)), output);
    }
    kb.append();
    traced("one-shot", at());
    String id = traced("findings", at()).split(" ")[0];
    traced("findings", at(), id);
    traced("act", at(), id);
    traced("dismiss", "--kb", at(), id);
    traced("search", at(), "lease");
    traced("verify", at());
    traced("one-shot", at(), "--json");
  }

  private Process start(String command) throws IOException {
    program.withModel().withoutC2();
    return program.start(strace(), out, BASE.resolve("err"), command, at());
  }

  private static void awaitWords(Path file, String... words) throws Exception {
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (!Files.exists(file) || !Stream.of(words).allMatch(read(file)::contains)) {
      assertTrue(System.nanoTime() < deadline, () -> "never in " + file + ": " + List.of(words));
      Thread.sleep(100);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aDaemonKeepsItsPromises() throws Exception {
    promised.add(home.resolve(".helix").toString()); // the daemon's socket, lock and log
    Process daemon = start("daemon");
    try {
      Path report = kb.kb().insights().resolve("report.json");
      awaitWords(report, "\"liveEntries\": 2");
      kb.append();
      awaitWords(report, "\"liveEntries\": 3");
      program.run("stop").ok();
      daemon.waitFor();
    } finally {
      daemon.destroyForcibly();
    }
    assertPromisesAreKept("daemon");
    assertSawTheLog();
  }

  @Test
  void anMcpServerKeepsItsPromises() throws Exception {
    Process server = start("mcp");
    try (var in = server.outputWriter()) {
      in.write(
          """
          {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
          {"jsonrpc":"2.0","method":"notifications/initialized"}
          {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"text":"lease"}}}
          {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"findings","arguments":{}}}
          {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"helix-bg://report"}}
          """);
      in.flush();
      awaitWords(out, "\"id\":2", "\"id\":3", "\"id\":4");
    } finally {
      server.waitFor();
    }
    assertEquals(0, server.exitValue());
    assertPromisesAreKept("mcp");
    assertSawTheLog();
    assertSaw("embeddings.bin");
    assertTrue(read(out).contains("lease of a job"), read(out));
  }

  /**
   * Whether a call opens a network connection. Local sockets (AF_UNIX), by which a JVM looks up
   * users, are none.
   */
  private static boolean reachesOut(String line) {
    Matcher call = CALL.matcher(line);
    return call.find()
        && Set.of("connect", "sendto", "sendmsg", "sendmmsg", "bind").contains(call.group(1))
        && line.contains("AF_INET");
  }

  private boolean isForbidden(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.find() || line.contains(") = -1 ")) {
      return false;
    }
    String name = call.group(1);
    List<String> paths =
        QUOTED.matcher(call.group(2)).results().map(path -> path.group(1)).toList();
    boolean writes = writes(name, line);
    return writes && !paths.stream().allMatch(this::isPromised)
        || isForbiddenInKb(name, writes, line, paths);
  }

  private static boolean writes(String name, String line) {
    return switch (name) {
      case "open", "openat", "openat2" ->
          Stream.of("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC").anyMatch(line::contains);
      case "creat",
          "rename",
          "renameat",
          "renameat2",
          "mkdir",
          "mkdirat",
          "link",
          "linkat",
          "symlink",
          "symlinkat",
          "truncate" ->
          true;
      default -> false;
    };
  }

  private boolean isPromised(String path) {
    boolean leadsThere =
        program.cache().startsWith(path) || program.stores().settings().state().startsWith(path);
    return path.startsWith("/") && (leadsThere || promised.stream().anyMatch(path::startsWith));
  }

  private boolean isForbiddenInKb(String name, boolean writes, String line, List<String> all) {
    List<String> paths =
        all.stream()
            .filter(path -> path.startsWith(at() + "/"))
            .map(path -> path.substring(at().length() + 1))
            .toList();
    if (paths.isEmpty()) {
      return false;
    }
    String path = paths.getFirst();
    return switch (name) {
      case "open", "openat", "openat2" ->
          writes
              ? !path.endsWith(MADE) || !line.contains("O_CREAT|O_EXCL")
              : !path.equals("data.log") && !Files.isDirectory(kb.kb().folder().resolve(path));
      case "rename", "renameat", "renameat2" ->
          !path.endsWith(MADE) || !OUTPUTS.contains(paths.getLast());
      case "unlink", "unlinkat", "chmod", "fchmodat" -> !path.endsWith(MADE);
      case "mkdir", "mkdirat" -> !path.equals("insights");
      case "stat",
          "lstat",
          "newfstatat",
          "statx",
          "access",
          "faccessat",
          "faccessat2",
          "readlink" ->
          false;
      default -> true;
    };
  }
}
