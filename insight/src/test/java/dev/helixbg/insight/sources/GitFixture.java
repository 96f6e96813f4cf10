package dev.helixbg.insight.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** A git repository for tests, whose commits have the times that the test gives. */
public final class GitFixture {
  private final Path folder;

  /** Makes an empty repository. */
  public GitFixture(Path folder) throws IOException, InterruptedException {
    this.folder = folder;
    Files.createDirectories(folder);
    git("2026-01-01T00:00", "init", "-q", "-b", "main");
  }

  public Path folder() {
    return folder;
  }

  public GitFixture write(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return this;
  }

  public GitFixture delete(String path) throws IOException {
    Files.delete(folder.resolve(path));
    return this;
  }

  public GitFixture move(String from, String to) throws IOException {
    Files.createDirectories(folder.resolve(to).getParent());
    Files.move(folder.resolve(from), folder.resolve(to));
    return this;
  }

  /**
   * Commits all files.
   *
   * @param time time of the commit in UTC, such as {@code 2026-03-01T12:00}
   * @return the abbreviated id of the commit
   */
  public String commit(String time) throws IOException, InterruptedException {
    git(time, "add", "-A");
    git(time, "commit", "-q", "--allow-empty", "-m", "at " + time);
    return git(time, "rev-parse", "HEAD").strip().substring(0, 10);
  }

  String git(String time, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-c", "user.name=t"));
    command.addAll(List.of("-c", "user.email=t@t", "-c", "commit.gpgSign=false"));
    command.addAll(List.of("-c", "core.hooksPath=/dev/null"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_COMMITTER_DATE", time + ":00Z");
    builder.environment().put("GIT_AUTHOR_DATE", time + ":00Z");
    Process process = builder.start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  /** Returns a time in minutes since 1970-01-01 00:00, as in a data.log. */
  static int minutes(String time) {
    return (int) (LocalDateTime.parse(time).toEpochSecond(ZoneOffset.UTC) / 60);
  }
}
