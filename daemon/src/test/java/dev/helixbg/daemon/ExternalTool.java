package dev.helixbg.daemon;

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
import java.util.concurrent.TimeUnit;

/** Programs that tests need and that scripts/check installs. */
public final class ExternalTool {
  /** Prefix of a command that makes it run as a user who owns nothing; needs root. */
  static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups");

  private ExternalTool() {}

  /**
   * Skips the test, with a reason, if the tool is missing. In CI, fails instead, because CI may
   * skip nothing.
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

  /** Whether a command ends with exit code 0. */
  static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  /** Runs a command, which must end within five minutes. */
  static Program.Ended run(ProcessBuilder command) throws IOException, InterruptedException {
    Path out = Files.createTempFile("out", "");
    Path err = Files.createTempFile("err", "");
    Process process = command.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    try {
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        throw new AssertionError("still running after five minutes: " + command.command());
      }
      return new Program.Ended(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.destroyForcibly();
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** Runs a command, which must end with exit code 0, and returns its stdout and stderr. */
  public static String said(ProcessBuilder command) throws IOException, InterruptedException {
    return run(command.redirectErrorStream(true)).ok().out();
  }

  /**
   * Prefix that makes a command heed Ctrl-C even if a shell started the tests in the background.
   */
  static List<String> heedingCtrlC() throws InterruptedException {
    List<String> env = List.of("env", "--default-signal=INT");
    return succeeds("env", "--default-signal=INT", "true") ? env : List.of();
  }

  /** Mounts a file system; skips the test if mounting is not allowed. */
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
