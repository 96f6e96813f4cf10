package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Runs the built program as a user would: through scripts/helix-bg, with a home folder of its own.
 */
final class Program {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Folder of the built program. */
  static final Path DIST = ROOT.resolve("daemon/target/dist");

  /** Environment variable with options for the launcher's JVM. */
  static final String JAVA_OPTIONS = "HELIX_BG_LAUNCHER_JAVA_OPTIONS";

  static final String WITHOUT_C2 = "-XX:TieredStopAtLevel=1";

  /** Splits a command line into words; each % is replaced by the next argument. */
  static String[] words(String line, Object... arguments) {
    Iterator<Object> next = List.of(arguments).iterator();
    return Stream.of(line.split(" "))
        .map(word -> word.equals("%") ? next.next().toString() : word)
        .toArray(String[]::new);
  }

  private final Path home;
  private final Map<String, String> environment = new HashMap<>();
  private List<String> start = List.of(ROOT.resolve("scripts/helix-bg").toString());

  Program(Path home) {
    this.home = home;
    environment.put("HOME", home.toString());
    environment.put("PATH", System.getenv("PATH"));
    environment.put("XDG_CACHE_HOME", cache().getParent().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
  }

  Path cache() {
    return home.resolve("caches/helix-bg");
  }

  /** Returns the program's stores of KBs. */
  ProgramStores stores() {
    return ProgramStores.of(home, cache());
  }

  /**
   * Provides the prepared embedding model. Otherwise the first command that needs it prepares it.
   */
  Program withModel() throws IOException {
    PreparedModel.linkInto(cache().getParent(), DIST);
    return this;
  }

  /** Puts an embedding model that cannot be opened into the usual folder. */
  Program withoutEmbeddingModel() throws IOException {
    FakeModel.unopenable(home.resolve(".helix/models"));
    return this;
  }

  /**
   * Runs the JVM without C2, which takes a fifth of the processor time of a short run. Language
   * models need C2.
   */
  Program withoutC2() {
    return with(JAVA_OPTIONS, WITHOUT_C2);
  }

  Program with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Starts the jar by java, without the launcher and its options. */
  Program withoutLauncher() {
    return byJava("-jar", DIST.resolve("lib/helix-bg.jar").toString());
  }

  /** Starts a JVM with these options, which name the program to start. */
  Program byJava(String... options) {
    start = new ArrayList<>(List.of(options));
    start.addFirst(Path.of(System.getProperty("java.home"), "bin/java").toString());
    return this;
  }

  /** Returns a program that is started by another command, which starts the launcher. */
  Program byCommand(String... command) {
    Program other = new Program(home);
    other.environment.putAll(environment);
    other.start = List.of(command);
    return other;
  }

  record Ended(int code, String out, String err) {
    /** Returns this; fails unless the program ended with exit code 0. */
    Ended ok() {
      return with(ExitCode.OK);
    }

    /** Returns this; fails unless the program ended with this exit code. */
    Ended with(ExitCode expected) {
      assertEquals(expected.number(), code, out + err);
      return this;
    }

    /** Parses standard output, which must be one JSON value. */
    JsonNode json() throws IOException {
      return new ObjectMapper().readTree(out);
    }
  }

  Ended run(String... arguments) throws IOException, InterruptedException {
    return run(List.of(), arguments);
  }

  /**
   * @param wrapper command with options that starts the launcher; may be empty
   */
  Ended run(List<String> wrapper, String... arguments) throws IOException, InterruptedException {
    return ExternalTool.run(builder(wrapper, arguments));
  }

  Process start(List<String> wrapper, Path out, Path err, String... arguments) throws IOException {
    ProcessBuilder builder = builder(wrapper, arguments);
    return builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
  }

  private ProcessBuilder builder(List<String> wrapper, String... arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.addAll(start);
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder.directory(home.toFile());
  }
}
