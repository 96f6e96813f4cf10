package dev.helixbg.daemon.service;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** One step of a service command; {@code --dry-run} prints {@code shown} instead of acting. */
public record ServiceStep(String shown, Deed deed) {
  /** Longest wait for a service's start or end; longer than launchd's {@code ExitTimeOut}. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final Duration LOOK = Duration.ofMillis(100);

  /** Environment variable that names the folder with the socket of the user's systemd. */
  private static final String RUNTIME_FOLDER = "XDG_RUNTIME_DIR";

  public interface Deed {
    /**
     * Does the step.
     *
     * @throws Failure with {@link ExitCode#WRITE} when a required command fails, {@link
     *     ExitCode#NO_DAEMON} when the status was requested and the service does not run
     */
    void take(PrintStream out) throws IOException, InterruptedException;
  }

  public static ServiceStep write(Path file, String content) {
    return new ServiceStep(
        "would write " + file + "\n" + content.stripTrailing(),
        _ -> {
          Files.createDirectories(file.getParent());
          byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
          AtomicFile.replace(file, open -> open.write(bytes));
        });
  }

  public static ServiceStep delete(Path file) {
    return new ServiceStep("would delete " + file, _ -> Files.deleteIfExists(file));
  }

  static ServiceStep say(String words) {
    return new ServiceStep(words, out -> out.println(words));
  }

  static ServiceStep run(String... command) {
    return running(
        command,
        (answer, out) -> {
          if (answer.code() != 0) {
            throw new Failure(
                ExitCode.WRITE,
                "%s failed (%d): %s"
                    .formatted(words(command), answer.code(), answer.output().replace('\n', ' ')));
          }
          tell(out, answer.output());
        });
  }

  /** Runs a command and ignores its failure, which means that there is nothing to do. */
  static ServiceStep maybe(String... command) {
    ServiceStep run =
        running(command, (answer, out) -> tell(out, answer.code() == 0 ? answer.output() : ""));
    return new ServiceStep(
        run.shown(),
        out -> {
          try {
            run.deed().take(out);
          } catch (Failure e) {
            // The command is not installed here.
          }
        });
  }

  /** Runs a command that prints the status, and fails if the service does not run. */
  static ServiceStep ask(String... command) {
    return running(
        command,
        (answer, out) -> {
          tell(out, answer.output());
          if (answer.code() != 0) {
            throw new Failure(ExitCode.NO_DAEMON, "the service is not running");
          }
        });
  }

  /** Waits until the service has ended, that is, until {@code command} fails. */
  static ServiceStep awaitEnd(String... command) {
    return new ServiceStep(
        "would wait until this command fails, because the service has ended: " + words(command),
        _ -> {
          until(
              () -> Optional.of(ended(command)).filter(ended -> ended.code() != 0),
              () ->
                  new Failure(
                      ExitCode.BUSY,
                      "the service has not ended within %d s; try again"
                          .formatted(PATIENCE.toSeconds())));
        });
  }

  /**
   * Waits until the service's daemon answers, because service managers do not report a program that
   * ends soon after its start.
   */
  static ServiceStep awaitStart(DaemonHome home) {
    return new ServiceStep(
        "would wait until the service answers",
        _ -> {
          JsonNode status =
              until(
                  new DaemonLink(home)::status,
                  () ->
                      new Failure(
                          ExitCode.WRITE,
                          "the service does not answer"
                              + ServiceHealth.lastError(home)
                                  .map(said -> "; its last message: " + said)
                                  .orElse(". See: helix-bg service logs")));
          if (!status.path("service").asBoolean()) {
            throw new Failure(
                ExitCode.BUSY,
                "the service cannot run beside the daemon that was started by hand: process %d."
                        .formatted(status.path("pid").asLong())
                    + " Run: helix-bg stop; helix-bg service start");
          }
        });
  }

  private interface Look<T> {
    Optional<T> take() throws InterruptedException;
  }

  /** Repeats {@code look} until it returns a value; fails after {@link #PATIENCE}. */
  private static <T> T until(Look<T> look, Supplier<Failure> late) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Optional<T> seen;
    while ((seen = look.take()).isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw late.get();
      }
      Thread.sleep(LOOK);
    }
    return seen.get();
  }

  private static ServiceStep running(String[] command, BiConsumer<Ended, PrintStream> then) {
    return new ServiceStep("would run: " + words(command), out -> then.accept(ended(command), out));
  }

  private static void tell(PrintStream out, String text) {
    if (!text.isEmpty()) {
      out.println(text);
    }
  }

  /** Exit code of a command, and its output on both streams. */
  record Ended(int code, String output) {}

  static Ended ended(String... command) throws InterruptedException {
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      addRuntimeFolder(builder.environment(), Path.of("/run/user"));
      Process process = builder.start();
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

  /** Fails with {@link ExitCode#WRITE} unless the user's systemd answers. */
  public static void requireSystemd() throws InterruptedException {
    Ended answer = ended("systemctl", "--user", "show-environment");
    if (answer.code() != 0) {
      throw new Failure(
          ExitCode.WRITE,
          "nothing was changed, because the user's systemd does not answer: "
              + answer.output().replace('\n', ' '));
    }
  }

  /**
   * Adds the variable {@value #RUNTIME_FOLDER} if it is missing, for example in a shell of {@code
   * su} or {@code cron}.
   *
   * @param folders folder with one runtime folder for each user, named by the user's id
   */
  static void addRuntimeFolder(Map<String, String> environment, Path folders) throws IOException {
    Path process = Path.of("/proc/self");
    if (environment.getOrDefault(RUNTIME_FOLDER, "").isEmpty() && Files.exists(process)) {
      Path folder = folders.resolve(Files.getAttribute(process, "unix:uid").toString());
      if (Files.isDirectory(folder)) {
        environment.put(RUNTIME_FOLDER, folder.toString());
      }
    }
  }

  private static String words(String... command) {
    return String.join(" ", command);
  }
}
