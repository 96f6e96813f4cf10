package dev.helixbg.insight.sources;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Commits that git could not read: another try would take half a minute of every run. Each is tried
 * again after a week, because the machine may have been busy. A file of our own, in which a line is
 * the hash of folder and commit, a blank, and the time in milliseconds since 1970.
 *
 * @param file need not be there
 */
public record SourceTroubles(Path file, InstantSource clock) {
  private static final Duration KEPT = Duration.ofDays(7);
  private static final int MAX_BYTES = 1 << 16;
  private static final int MAX_LINES = 200;

  /** Whether git failed on this commit in the last week. */
  boolean has(Path folder, String commit) {
    String name = name(folder, commit);
    return lines().stream().anyMatch(line -> line.startsWith(name));
  }

  /** Writes it down; a file that cannot be written only costs time. */
  void add(Path folder, String commit) {
    List<String> all = new ArrayList<>(lines());
    all.add(name(folder, commit) + clock.millis());
    List<String> last = all.subList(Math.max(0, all.size() - MAX_LINES), all.size());
    byte[] text = (String.join("\n", last) + "\n").getBytes(UTF_8);
    try {
      PrivateFiles.makeFolders(file.getParent());
      AtomicFile.replace(file, out -> out.write(text));
    } catch (IOException e) {
      // the next run tries git again
    }
  }

  private List<String> lines() {
    try {
      return Files.size(file) > MAX_BYTES
          ? List.of()
          : Files.readString(file).lines().filter(this::isRecent).toList();
    } catch (IOException e) { // there is none, or it is damaged
      return List.of();
    }
  }

  private boolean isRecent(String line) {
    return time(line).filter(time -> time.plus(KEPT).isAfter(clock.instant())).isPresent();
  }

  private static Optional<Instant> time(String line) {
    try {
      return Optional.of(Instant.ofEpochMilli(Long.parseLong(line.replaceAll(".* ", ""))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String name(Path folder, String commit) {
    return Sha256.of(List.of(folder.toString(), commit)) + " ";
  }
}
