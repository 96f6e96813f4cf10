package dev.helixbg.insight.sources;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs git to list the commits and files of a repository.
 *
 * <p>Git runs in its own temporary git folder, which shares only the repository's objects. Git does
 * not read the repository's configuration, hooks, attributes, refs or working tree. None of these
 * can therefore make git run a program, fetch or write anything. Output, time and memory are
 * bounded, because a repository of 2 MB can contain two files of 200 MB that git compares.
 */
record GitCommand(GitRepository repository, Path git, Path folder) implements AutoCloseable {
  /** Maximum size of a history or a list of files, in bytes: enough for 400,000 changed files. */
  private static final int MAX_LISTING = 32 << 20;

  /** Maximum memory of git, in KiB, not counting mapped packs. Only Linux enforces this limit. */
  private static final int MAX_MEMORY = 256 << 10;

  private static final List<String> LIMITED =
      List.of("/bin/sh", "-c", "ulimit -d " + MAX_MEMORY + " 2> /dev/null; exec \"$@\"", "sh");

  private static final Map<String, String> FIXED =
      Map.of(
          "GIT_CONFIG_NOSYSTEM", "1",
          "GIT_CONFIG_GLOBAL", "/dev/null",
          "GIT_ATTR_NOSYSTEM", "1",
          "GIT_NO_REPLACE_OBJECTS", "1",
          "GIT_NO_LAZY_FETCH", "1",
          "GIT_ALLOW_PROTOCOL", "none",
          "GIT_TERMINAL_PROMPT", "0",
          "GIT_OPTIONAL_LOCKS", "0",
          "LC_ALL", "C");

  private static final Duration MAX_TIME = Duration.ofSeconds(30);
  private static final long LOOK_MILLIS = 50;

  static GitCommand of(GitRepository repository) throws SourceException {
    Path git =
        program(System.getenv("PATH"))
            .orElseThrow(
                () -> new SourceException("it cannot be read, because git is not on the PATH"));
    try {
      Path folder = Files.createTempDirectory("helix-bg-git");
      Files.createDirectory(folder.resolve("refs"));
      Files.createDirectory(folder.resolve("objects"));
      Files.writeString(folder.resolve("HEAD"), "ref: refs/heads/none\n");
      if (!repository.shallow().isEmpty()) {
        Files.writeString(folder.resolve("shallow"), repository.shallow());
      }
      Files.writeString(folder.resolve("config"), config(repository));
      return new GitCommand(repository, git, folder);
    } catch (IOException e) {
      throw new SourceException("the temp folder cannot be written to");
    }
  }

  private static Optional<Path> program(String path) {
    return Stream.of(path == null ? new String[0] : path.split(File.pathSeparator))
        .filter(part -> part.startsWith("/"))
        .map(part -> Path.of(part, "git"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns a configuration with which git streams large files and fetches nothing. */
  private static String config(GitRepository repository) {
    return "[core]\n\tbare = true\n\tbigFileThreshold = 1m\n\tpackedGitLimit = 256m\n"
        + (repository.isSha256()
            ? "\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
            : "\trepositoryFormatVersion = 0\n")
        + "[protocol]\n\tallow = never\n[diff]\n\trenameLimit = 1000\n";
  }

  /**
   * Returns the history along the first parents, newest commit first, up to {@link #MAX_LISTING}
   * bytes. A commit begins with the byte 01, its id, its two times in seconds since 1970
   * (committed, authored) and its date. For each changed file, a letter and a path follow; for a
   * renamed file, R and both paths. If git fails or takes too long, a second try does not find
   * files that were renamed and changed in the same commit.
   */
  byte[] log() throws SourceException {
    try {
      return log("60%");
    } catch (UnreadableException e) {
      return log("100%");
    }
  }

  private byte[] log(String likeness) throws SourceException {
    return said(
        "log",
        "-z",
        "--max-count=50000",
        "--first-parent",
        "-m",
        "--name-status",
        "--find-renames=" + likeness,
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--format=%x01%H %ct %at %cs",
        repository.commit());
  }

  /** Returns the paths of all files of the commit that is checked out. */
  Set<String> files() throws SourceException {
    byte[] listing = said("ls-tree", "-r", "-z", "--name-only", "--full-tree", repository.commit());
    if (listing.length >= MAX_LISTING) {
      throw new SourceException("it has more files than helix-bg checks");
    }
    return new HashSet<>(List.of(new String(listing, StandardCharsets.UTF_8).split("\0")));
  }

  /** Returns the first {@link #MAX_LISTING} bytes of git's output. */
  private byte[] said(String... arguments) throws SourceException {
    try {
      List<String> command = new ArrayList<>(LIMITED);
      command.addAll(List.of(git.toString(), "--no-pager", "--no-optional-locks"));
      command.add("--literal-pathspecs");
      command.addAll(List.of(arguments));
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD);
      Map<String, String> environment = builder.environment();
      environment.clear();
      environment.putAll(FIXED);
      environment.put("GIT_DIR", folder.toString());
      environment.put("GIT_OBJECT_DIRECTORY", repository.objects().toString());
      environment.put("HOME", folder.toString());
      Process process = builder.start();
      Thread waiting = Thread.currentThread();
      Thread watch = Thread.ofVirtual().start(() -> watch(process, waiting));
      try (InputStream out = process.getInputStream()) {
        byte[] said = out.readNBytes(MAX_LISTING);
        if (said.length < MAX_LISTING && process.waitFor() != 0) {
          throw new UnreadableException();
        }
        return said;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SourceException("interrupted");
      } finally {
        process.destroyForcibly();
        watch.interrupt();
      }
    } catch (IOException e) {
      throw new UnreadableException();
    }
  }

  /** Ends the process at the time limit, or when the waiting thread is interrupted. */
  private static void watch(Process process, Thread waiting) {
    long end = System.nanoTime() + MAX_TIME.toNanos();
    try {
      while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (waiting.isInterrupted() || System.nanoTime() - end > 0) {
          process.destroyForcibly();
        }
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }

  @Override
  public void close() {
    for (String name : List.of("HEAD", "config", "shallow", "refs", "objects", "")) {
      try {
        Files.deleteIfExists(folder.resolve(name));
      } catch (IOException e) {
        // the system clears the temporary folder
      }
    }
  }

  /** An error in reading a folder of source code; the message has the reason, but not the path. */
  static class SourceException extends Exception {
    SourceException(String message) {
      super(message);
    }
  }

  /** An error of git in reading a commit. Another try would take as long and would fail again. */
  static final class UnreadableException extends SourceException {
    UnreadableException() {
      super("git cannot read it, or took too long or too much memory");
    }
  }
}
