package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watches the system calls of real runs: no connection, no file written where none is promised. */
class NoNetworkIT {
  private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\((.*)$");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** Outside the temp folder, where the program may write what it likes. */
  private static final Path BASE = Path.of("target/no-network").toAbsolutePath();

  private final Path home = BASE.resolve("home");
  private final Path kb = BASE.resolve("kb");
  private final Program program = new Program(home);

  @BeforeAll
  static void straceIsThere() {
    ExternalTool.require("strace");
  }

  @BeforeEach
  void startFromNothing() throws IOException {
    if (Files.exists(BASE)) {
      try (Stream<Path> files = Files.walk(BASE)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
    Files.createDirectories(home);
    Files.createDirectories(kb);
  }

  private List<String> trace(String... arguments) throws IOException, InterruptedException {
    return trace(program, arguments);
  }

  private static List<String> trace(Program program, String... arguments)
      throws IOException, InterruptedException {
    program.run(strace(), arguments).ok();
    return Files.readAllLines(BASE.resolve("trace"));
  }

  private static List<String> strace() {
    return List.of(
        "strace",
        "-f",
        "--seccomp-bpf", // stops at these calls only, which halves the time
        "-qq",
        "-s",
        "4096",
        "-o",
        BASE.resolve("trace").toString(),
        "-e",
        "trace=network,open,openat,creat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate");
  }

  private void writeLog() throws IOException {
    try (var log = NoNetworkIT.class.getResourceAsStream("/kb/04-appended.log")) {
      Files.write(kb.resolve("data.log"), log.readAllBytes());
    }
  }

  @Test
  void oneShotFromNothingConnectsNowhereAndWritesOnlyWherePromised() throws Exception {
    List<String> calls = trace("one-shot", "--sample");
    assertTrue(calls.size() > 100, "strace saw " + calls.size() + " calls");
    assertTrue(calls.stream().anyMatch(c -> c.contains("embeddings.bin")), "the run embedded");
    assertEquals(List.of(), calls.stream().filter(NoNetworkIT::reachesOut).toList());
    assertEquals(List.of(), calls.stream().filter(this::writesElsewhere).toList());
  }

  @Test
  void aRunWithALanguageModelConnectsNowhereAndWritesOnlyWherePromised() throws Exception {
    program.withModel(); // the first of these tests sees where the program puts it
    Path models = Files.createDirectories(home.resolve(".helix/models"));
    Files.copy(GoldenModel.Q4_K_M.path(), models.resolve("golden.gguf"));
    writeLog();
    byte[] before = Files.readAllBytes(kb.resolve("data.log"));
    List<String> calls = trace("one-shot", kb.toString());
    assertTrue(calls.stream().anyMatch(c -> c.contains("golden.gguf")), "the model was read");
    assertTrue(calls.stream().anyMatch(c -> c.contains("kb.db")), "answers were saved");
    assertEquals(List.of(), calls.stream().filter(NoNetworkIT::reachesOut).toList());
    assertEquals(List.of(), calls.stream().filter(this::writesElsewhere).toList());
    assertTrue(Arrays.equals(before, Files.readAllBytes(kb.resolve("data.log"))));
    try (Stream<Path> files = Files.list(kb)) {
      assertEquals(
          List.of("data.log", "embeddings.bin", "insights"),
          files.map(f -> f.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void startedBareAndAskedToCallHomeItConnectsNowhere() throws Exception {
    Program bare =
        program
            .withModel()
            .withoutLauncher()
            .with("DJL_OFFLINE", "false")
            .with("OPT_OUT_TRACKING", "false")
            .with("ORT_DISABLE_TELEMETRY", "0");
    writeLog();
    List<String> calls = trace(bare, "one-shot", kb.toString());
    assertTrue(calls.stream().anyMatch(c -> c.contains("embeddings.bin")), "the run embedded");
    assertEquals(List.of(), calls.stream().filter(NoNetworkIT::reachesOut).toList());
  }

  @Test
  @Timeout(600)
  void anMcpServerByItselfConnectsNowhereAndWritesOnlyWherePromised() throws Exception {
    program.withModel().withoutC2();
    writeLog();
    Path out = BASE.resolve("out");
    Process server = program.start(strace(), out, BASE.resolve("err"), "mcp", kb.toString());
    try (var in = server.outputWriter()) {
      in.write(
          """
          {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
          {"jsonrpc":"2.0","method":"notifications/initialized"}
          {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"text":"lease"}}}
          """);
      in.flush();
      while (server.isAlive() && !Files.readString(out).contains("\"id\":2")) {
        Thread.sleep(20);
      }
    }
    assertEquals(0, server.waitFor());
    List<String> calls = Files.readAllLines(BASE.resolve("trace"));
    assertTrue(calls.stream().anyMatch(c -> c.contains("embeddings.bin")), "it embedded");
    assertEquals(List.of(), calls.stream().filter(NoNetworkIT::reachesOut).toList());
    assertEquals(List.of(), calls.stream().filter(this::writesElsewhere).toList());
  }

  /**
   * Local sockets (AF_UNIX) are how a JVM may ask for users and names; every other family is out.
   */
  private static boolean reachesOut(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.find()) {
      return false;
    }
    return switch (call.group(1)) {
      case "connect", "sendto", "sendmsg", "sendmmsg", "bind" -> line.contains("AF_INET");
      default -> false;
    };
  }

  private boolean writesElsewhere(String line) {
    Matcher call = CALL.matcher(line);
    if (!call.find() || line.contains(") = -1 ")) {
      return false;
    }
    boolean writes =
        switch (call.group(1)) {
          case "open", "openat" ->
              Stream.of("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC").anyMatch(line::contains);
          case "socket",
              "connect",
              "sendto",
              "sendmsg",
              "sendmmsg",
              "bind",
              "recvfrom",
              "recvmsg",
              "getsockopt",
              "setsockopt",
              "getsockname",
              "socketpair",
              "shutdown" ->
              false;
          default -> true;
        };
    Matcher path = QUOTED.matcher(call.group(2));
    while (writes && path.find()) {
      if (!isPromised(path.group(1))) {
        return true;
      }
    }
    return false;
  }

  private boolean isPromised(String path) {
    if (!path.startsWith("/")) {
      return false;
    }
    Path state = program.stores().settings().state();
    boolean leadsThere = program.cache().startsWith(path) || state.startsWith(path);
    return leadsThere
        || Stream.of(
                kb.resolve("embeddings.bin").toString(),
                kb.resolve(".embeddings.bin.").toString(), // before it is renamed
                state.toString(),
                kb.resolve("insights").toString(),
                program.cache().toString(),
                "/tmp/", // the program's, wherever the tests have their files
                "/dev/",
                "/proc/self/")
            .anyMatch(path::startsWith);
  }
}
