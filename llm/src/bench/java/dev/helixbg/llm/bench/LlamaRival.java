package dev.helixbg.llm.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The engine llama.cpp from npm's package node-llama-cpp, which a user could install instead of
 * this engine. Until {@link #close}, it runs in a process of Node.js with the script {@code
 * llama.mjs}. The process writes errors to the stderr of this program.
 */
public final class LlamaRival implements Rival, AutoCloseable {
  /** Message that tells how to install llama.cpp. */
  public static final String REMEDY =
      "install Node.js, run npm install node-llama-cpp in a folder, and name that folder with"
          + " --npm";

  private static final String PACKAGE = "node_modules/node-llama-cpp";

  /** Mark after the last line of the process's output. */
  private static final String END = "";

  private final Process process;
  private final Writer requests;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final Duration patience;
  private final String version;

  private LlamaRival(Process process, Duration patience) {
    this.process = process;
    this.patience = patience;
    requests = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofVirtual().start(this::read);
    try {
      version = answer("ready ");
    } catch (RivalException e) {
      close();
      throw e;
    }
  }

  /**
   * Returns the folder whose {@code node_modules} has llama.cpp: the current folder, or npm's
   * global folder.
   *
   * @param patience maximum time to wait for npm
   */
  public static Optional<Path> find(Duration patience) {
    Path here = Path.of("").toAbsolutePath();
    return isIn(here) ? Optional.of(here) : global(patience).filter(LlamaRival::isIn);
  }

  /** Returns whether llama.cpp is installed in a folder. */
  public static boolean isIn(Path folder) {
    return Files.isDirectory(folder.resolve(PACKAGE));
  }

  private static Optional<Path> global(Duration patience) {
    try {
      Process npm =
          new ProcessBuilder("npm", "root", "-g")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (BufferedReader answer = npm.inputReader(StandardCharsets.UTF_8)) {
        if (npm.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
          return Optional.ofNullable(answer.readLine()).map(root -> Path.of(root).getParent());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        npm.destroyForcibly();
      }
    } catch (IOException e) {
      // npm is not installed.
    }
    return Optional.empty();
  }

  /**
   * Starts llama.cpp and makes it load a model.
   *
   * @param folder folder in which llama.cpp is installed
   * @param tokens maximum number of tokens of a measured round
   * @param patience maximum time to wait for the start, and for each round
   * @throws RivalException if there is no {@code node}, or the model cannot be loaded
   */
  public static LlamaRival start(
      Path folder, Path model, int threads, int tokens, Duration patience) {
    return start("node", folder, model, threads, tokens, patience);
  }

  /** Starts llama.cpp with {@code node} as the command of Node.js. */
  static LlamaRival start(
      String node, Path folder, Path model, int threads, int tokens, Duration patience) {
    String[] command = {
      node,
      "--input-type=module",
      "--eval",
      script(),
      model.toAbsolutePath().toString(),
      String.valueOf(threads),
      String.valueOf(tokens)
    };
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    try {
      return new LlamaRival(
          builder.redirectError(ProcessBuilder.Redirect.INHERIT).start(), patience);
    } catch (IOException e) {
      throw new RivalException(node + " cannot be started (" + e.getMessage() + "); " + REMEDY);
    }
  }

  private static String script() {
    try (InputStream in = LlamaRival.class.getResourceAsStream("llama.mjs")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the version of node-llama-cpp; empty if the start was interrupted. */
  public String version() {
    return version;
  }

  @Override
  public double round(String test, int tokens) {
    try {
      requests.write(test + " " + tokens + "\n");
      requests.flush();
    } catch (IOException e) {
      // The process has ended; answer() reports that.
    }
    String speed = answer("speed ");
    try {
      return speed.isEmpty() ? Double.NaN : Double.parseDouble(speed);
    } catch (NumberFormatException e) {
      throw new RivalException("llama.cpp gave no speed but " + speed);
    }
  }

  /** Waits for the next line that begins with {@code before}, and returns the rest of the line. */
  private String answer(String before) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      while (true) {
        String line = lines.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (line == null) {
          throw new RivalException(
              "llama.cpp gave no answer within %d s".formatted(patience.toSeconds()));
        }
        if (line.equals(END)) {
          throw new RivalException(
              "llama.cpp ended with exit code %d; its messages are above"
                  .formatted(process.waitFor()));
        }
        if (line.startsWith(before)) {
          return line.substring(before.length()).strip();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }

  /** Moves output to a queue: waiting for a queue can be interrupted, reading output cannot. */
  private void read() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (!line.equals(END)) {
          lines.add(line);
        }
      }
    } catch (IOException e) {
      // The process was ended.
    }
    lines.add(END);
  }

  /** Ends the process, even during a round. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
