package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.kb.WritableKb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Watches the system calls of the built program in the folder of a KB: {@code data.log} is the only
 * file that is opened for reading, and every file that is written is a new one that is renamed.
 */
@Timeout(900)
class KbFolderIT {
  private static final Pattern CALL = Pattern.compile("^\\d+ +(\\w+)\\((.*)$");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final String MADE = ".helix-bg.tmp";
  private static final Set<String> OUTPUTS =
      Set.of(
          "embeddings.bin", "insights/report.html", "insights/report.md", "insights/report.json");

  @TempDir Path folder;

  private Program program;
  private WritableKb kb;
  private Path trace;

  @BeforeAll
  static void straceIsThere() {
    ExternalTool.require("strace");
  }

  @BeforeEach
  void aKbWithFindings() throws IOException {
    program = new Program(Files.createDirectory(folder.resolve("home"))).withModel().withoutC2();
    kb = new WritableKb(folder.resolve("kb"), new Random(1));
    for (String topic : List.of("queue", "jobs")) {
      kb.append(topic, "The lease of a job in the queue ends after thirty seconds of silence.");
    }
    trace = folder.resolve("trace");
  }

  private List<String> strace() {
    return List.of(Program.words("strace -f --seccomp-bpf -qq -s 4096 -e trace=%file -o %", trace));
  }

  private String at() {
    return kb.kb().folder().toString();
  }

  /** What is wrong with the calls that were traced; each is shown as strace has it. */
  private List<String> wrong() throws IOException {
    List<String> wrong = new ArrayList<>();
    for (String line : Files.readAllLines(trace)) {
      Matcher call = CALL.matcher(line);
      if (call.find() && !line.contains(") = -1 ") && isWrong(call.group(1), call.group(2))) {
        wrong.add(line);
      }
    }
    return wrong;
  }

  private boolean isWrong(String name, String arguments) {
    List<String> paths = new ArrayList<>();
    Matcher quoted = QUOTED.matcher(arguments);
    while (quoted.find()) {
      if (quoted.group(1).startsWith(at() + "/")) {
        paths.add(quoted.group(1).substring(at().length() + 1));
      }
    }
    if (paths.isEmpty()) {
      return false;
    }
    String path = paths.getFirst();
    return switch (name) {
      case "open", "openat", "openat2" -> isWrongOpening(path, arguments);
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

  private boolean isWrongOpening(String path, String flags) {
    if (flags.contains("O_WRONLY") || flags.contains("O_RDWR") || flags.contains("O_CREAT")) {
      return !path.endsWith(MADE) || !flags.contains("O_CREAT|O_EXCL");
    }
    return !path.equals("data.log") && !Files.isDirectory(kb.kb().folder().resolve(path));
  }

  private boolean sawTheLog() throws IOException {
    try (Stream<String> lines = Files.lines(trace)) {
      return lines.anyMatch(line -> line.contains("\"" + kb.log() + "\", O_RDONLY"));
    }
  }

  private String traced(String... arguments) throws Exception {
    Program.Ended ended = program.run(strace(), arguments).ok();
    assertEquals(List.of(), wrong(), List.of(arguments).toString());
    return ended.out();
  }

  @Test
  void commandsReadTheLogAloneAndWriteNewFilesAlone() throws Exception {
    traced("one-shot", at());
    assertTrue(sawTheLog());
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
    traced("one-shot", at(), "--json");
  }

  @Test
  void aDaemonReadsTheLogAloneAndWritesNewFilesAlone() throws Exception {
    Process daemon =
        program.start(strace(), folder.resolve("out"), folder.resolve("err"), "daemon", at());
    try {
      Path report = kb.kb().insights().resolve("report.json");
      awaitEntries(report, 2);
      kb.append();
      awaitEntries(report, 3);
      assertEquals(0, program.run("stop").code());
      daemon.waitFor();
    } finally {
      daemon.destroyForcibly();
    }
    assertEquals(List.of(), wrong());
    assertTrue(sawTheLog());
  }

  private void awaitEntries(Path report, int entries) throws Exception {
    long deadline = System.nanoTime() + 300_000_000_000L;
    while (!Files.exists(report)
        || !Files.readString(report).contains("\"liveEntries\": " + entries)) {
      assertTrue(
          System.nanoTime() < deadline, () -> "never in the report: " + entries + " entries");
      Thread.sleep(100);
    }
  }

  @Test
  void anMcpServerReadsTheLogAloneAndWritesNewFilesAlone() throws Exception {
    Path out = folder.resolve("out");
    Process server = program.start(strace(), out, folder.resolve("err"), "mcp", at());
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
      long deadline = System.nanoTime() + 300_000_000_000L;
      while (server.isAlive()
          && System.nanoTime() < deadline
          && !Stream.of(2, 3, 4).allMatch(id -> read(out).contains("\"id\":" + id))) {
        Thread.sleep(50);
      }
    }
    assertEquals(0, server.waitFor());
    assertEquals(List.of(), wrong());
    assertTrue(sawTheLog());
    assertTrue(read(out).contains("lease of a job"), read(out));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }
}
