package dev.helixbg.daemon.service;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/** Shows or takes the steps of a plan. */
public record StepRunner(PrintStream out) {
  /** Longest wait for a service to end: longer than launchd's {@code ExitTimeOut} before a kill. */
  private static final Duration ENDING = Duration.ofSeconds(15);

  private static final Duration LOOK = Duration.ofMillis(100);

  /** Tells what would be done. */
  public void show(ServicePlan.Step step) {
    switch (step) {
      case ServicePlan.Write write -> {
        out.println("# would write " + write.file());
        out.println(write.content().stripTrailing());
      }
      case ServicePlan.Delete delete -> out.println("# would delete " + delete.file());
      case ServicePlan.Run run -> out.println("# would run: " + words(run.command()));
      case ServicePlan.Ask ask -> out.println("# would run: " + words(ask.command()));
      case ServicePlan.AwaitEnd end ->
          out.println("# would wait until this fails: " + words(end.command()));
      case ServicePlan.Say say -> out.println("# " + say.words());
    }
  }

  /**
   * Does it.
   *
   * @throws Failure with {@link ExitCode#WRITE} when a command fails that must not, with {@link
   *     ExitCode#NO_DAEMON} when the service was asked for and does not run
   */
  public void take(ServicePlan.Step step) throws IOException, InterruptedException {
    switch (step) {
      case ServicePlan.Write write -> {
        Files.createDirectories(write.file().getParent());
        byte[] bytes = write.content().getBytes(StandardCharsets.UTF_8);
        AtomicFile.replace(write.file(), file -> file.write(bytes));
      }
      case ServicePlan.Delete delete -> Files.deleteIfExists(delete.file());
      case ServicePlan.Run run -> {
        Ended answer = run(run.command());
        if (answer.code() == 0) {
          tell(answer.output());
        } else if (!run.mayFail()) {
          throw new Failure(
              ExitCode.WRITE,
              "%s failed (%d): %s"
                  .formatted(
                      words(run.command()), answer.code(), answer.output().replace('\n', ' ')));
        }
      }
      case ServicePlan.Ask ask -> {
        Ended answer = run(ask.command());
        tell(answer.output());
        if (answer.code() != 0) {
          throw new Failure(ExitCode.NO_DAEMON, "the service is not running");
        }
      }
      case ServicePlan.AwaitEnd end -> awaitEnd(end.command());
      case ServicePlan.Say say -> tell(say.words());
    }
  }

  private void tell(String text) {
    if (!text.isEmpty()) {
      out.println(text);
    }
  }

  private static void awaitEnd(List<String> command) throws InterruptedException {
    long deadline = System.nanoTime() + ENDING.toNanos();
    while (run(command).code() == 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new Failure(
            ExitCode.BUSY,
            "the service that is to end still runs after %d s; try again"
                .formatted(ENDING.toSeconds()));
      }
      Thread.sleep(LOOK);
    }
  }

  /** Exit code of a command, and its output on both streams. */
  record Ended(int code, String output) {}

  static Ended run(List<String> command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      return new Ended(process.waitFor(), output);
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          words(command)
              + " cannot be run: "
              + e.getMessage()
              + ". Start the daemon by hand instead");
    }
  }

  private static String words(List<String> command) {
    return String.join(" ", command);
  }
}
