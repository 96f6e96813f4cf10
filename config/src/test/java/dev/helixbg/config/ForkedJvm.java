package dev.helixbg.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program of the tests in a new JVM, with the class path of this JVM. */
public final class ForkedJvm {
  private ForkedJvm() {}

  /**
   * Runs a program with this JVM's options, checks that its exit code is 0, and returns its output.
   *
   * @param errors target of the program's error output
   * @param options further options of the new JVM
   */
  public static String run(
      Redirect errors, List<String> options, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
    all.addAll(options);
    return start(errors, all, program, arguments);
  }

  /**
   * Runs a program with the launcher's options, checks that its exit code is 0, and returns its
   * output.
   *
   * @param kind {@code tiered} or {@code c2}: names an options file in scripts/lib
   * @param options further options of the new JVM
   */
  public static String runAsLaunched(
      String kind, List<String> options, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>();
    all.add("@../scripts/lib/jvm.options");
    all.add("@../scripts/lib/" + kind + ".options");
    all.addAll(options);
    return start(Redirect.DISCARD, all, program, arguments);
  }

  /** Runs a program without this JVM's options, checks its exit code, and returns its output. */
  public static String runPlain(String option, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    return start(Redirect.INHERIT, List.of("-XX:+UseSerialGC", option), program, arguments);
  }

  private static String start(
      Redirect errors, List<String> options, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = command(options, program, arguments);
    Process process = new ProcessBuilder(command).redirectError(errors).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return printed;
  }

  /** Returns the command that runs a program with these options alone. */
  public static List<String> command(List<String> options, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    return command;
  }
}
