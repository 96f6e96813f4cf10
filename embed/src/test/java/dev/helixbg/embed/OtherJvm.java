package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public final class OtherJvm {
  private OtherJvm() {}

  /** Runs a program in another JVM and returns its output. The exit code must be 0. */
  public static String run(String option, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = command(List.of("-XX:+UseSerialGC", option), program, arguments);
    Process process = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    return printed;
  }

  public static List<String> command(List<String> options, Class<?> program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return command;
  }
}
