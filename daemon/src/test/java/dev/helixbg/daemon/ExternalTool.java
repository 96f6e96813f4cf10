package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program that a test needs and that scripts/check installs. */
public final class ExternalTool {
  /** Runs a command as a user who owns nothing; only root may do that. */
  static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups");

  private ExternalTool() {}

  /**
   * Without it the test is skipped and says why; in CI it fails, because there nothing may be
   * skipped.
   */
  public static void require(String tool) {
    for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
      if (Files.isExecutable(Path.of(folder, tool))) {
        return;
      }
    }
    String reason = tool + " is not installed; scripts/check installs it where it may";
    if (System.getenv("CI") != null) {
      fail(reason);
    }
    abort(reason);
  }

  /** Whether a command ends with 0. */
  static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  /** Runs a command, which must end with 0, and returns what it prints on stdout and stderr. */
  public static String said(ProcessBuilder command) throws IOException, InterruptedException {
    Process process = command.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  /** Has a command heed Ctrl-C, which it ignores if a shell started the tests in the background. */
  static List<String> heedingCtrlC() throws InterruptedException {
    List<String> env = List.of("env", "--default-signal=INT");
    return succeeds("env", "--default-signal=INT", "true") ? env : List.of();
  }

  /** Mounts a file system; where that is not allowed the test is skipped. */
  static void mount(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("mount"));
    command.addAll(List.of(arguments));
    assumeTrue(new ProcessBuilder(command).start().waitFor() == 0, "mounting is not allowed here");
  }

  /** Writes to a file until its disk is full. */
  static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (IOException full) {
      assertTrue(full.getMessage().contains("No space left"), full.getMessage());
    }
  }
}
