package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.FileState;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.cache.HxecFile;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.CacheNote;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.Database.Durability;
import dev.helixbg.embed.store.Sql;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files that helix-bg writes into a KB's folder: the report, and {@code embeddings.bin} with
 * the vectors. Each file is replaced in one step. helix-bg never reads these files; it compares
 * their size, times and inode with the stored values.
 *
 * @param kept the report in the store's folder, into which only this user can write
 * @param cache the cache folder, which remembers the log's hash
 */
public record KbOutputs(Kb kb, Database database, ReportFolder kept, Path cache) {
  static final String TABLE =
      "CREATE TABLE output (name TEXT PRIMARY KEY, state TEXT NOT NULL, log TEXT NOT NULL)";

  /**
   * Returns the report that users open: in the KB's folder or, if that is read-only, in the store.
   */
  public ReportFolder shown() {
    return isWritable() ? ReportFolder.of(kb) : kept;
  }

  public boolean isWritable() {
    Path insights = kb.insights();
    return Files.isWritable(kb.folder())
        && (!Files.isDirectory(insights, LinkOption.NOFOLLOW_LINKS) || Files.isWritable(insights));
  }

  /** Whether the report in the KB's folder is as helix-bg wrote it, or the folder is read-only. */
  public boolean isReportInPlace() {
    return !isWritable()
        || ReportFolder.of(kb).files().stream().allMatch(file -> unchanged(file).isPresent());
  }

  /** Whether {@code embeddings.bin} is as published for this log, or the folder is read-only. */
  public boolean areVectorsInPlace(String logSha256) {
    return !isWritable() || unchanged(vectors()).equals(Optional.of(logSha256));
  }

  /**
   * Returns the log's hash, which is computed only if the log may have changed since the last time.
   * Empty if the log cannot be read.
   */
  public Optional<String> logHash() {
    try {
      PrivateFiles.requireFile(kb.dataLog());
      return Optional.of(CacheNote.hash(kb.dataLog(), cache));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  public boolean isLog(String sha256) {
    return logHash().equals(Optional.of(sha256));
  }

  /** Returns the hash of the log that a file was made from; empty if the file has changed. */
  private Optional<String> unchanged(Path file) {
    return database
        .read(
            connection ->
                Sql.rows(
                    connection,
                    "SELECT log FROM output WHERE name = ? AND state = ?",
                    row -> row.getString(1),
                    file.getFileName().toString(),
                    state(file)))
        .stream()
        .findFirst();
  }

  private Path vectors() {
    return kb.folder().resolve(HxecFile.NAME);
  }

  /** Returns size, times and inode of a file; empty if it is missing or a link. */
  private static String state(Path file) {
    try {
      return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          ? FileState.of(file).linesAt(file.getFileName())
          : "";
    } catch (IOException e) {
      return "";
    }
  }

  /** Copies the report from the store into the KB's folder, unless that folder is read-only. */
  public void publishReport(String logSha256) {
    if (!isWritable()) {
      return;
    }
    try {
      ReportFolder published = ReportFolder.of(kb);
      published.copyFrom(kept);
      published.files().forEach(file -> note(file, logSha256));
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "write the report to " + kb.insights(),
          e,
          "The report is in " + kept.html().getParent() + ", too");
    }
  }

  /** Copies the report into another folder, which is created if its parent exists. */
  public void copyReport(Path to) {
    try {
      ReportFolder.in(to).copyFrom(kept);
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write the report to " + to, e);
    }
  }

  /**
   * Writes the vectors of a log's entries to {@code embeddings.bin}, unless they are there already
   * or the KB's folder is read-only.
   */
  public void publishVectors(LogReading log, List<float[]> vectors) {
    String logSha256 = log.account().sha256();
    if (!isWritable() || areVectorsInPlace(logSha256)) {
      return;
    }
    try {
      List<Long> offsets = log.entries().stream().map(Entry::offset).toList();
      AtomicFile.replace(vectors(), out -> HxecFile.write(out, offsets, vectors));
      note(vectors(), logSha256);
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "write " + vectors(),
          e,
          "Nothing was lost; correct the cause and run again");
    }
  }

  /** Notes the state of a file that was just written, and the hash of the log it was made from. */
  private void note(Path file, String logSha256) {
    database.write(
        Durability.COMPUTED,
        connection -> {
          Sql.execute(
              connection,
              "INSERT OR REPLACE INTO output VALUES (?, ?, ?)",
              file.getFileName().toString(),
              state(file),
              logSha256);
          return null;
        });
  }

  /** Returns the names of published files that are missing or have changed. */
  List<String> changed() {
    return Stream.concat(ReportFolder.of(kb).files().stream(), Stream.of(vectors()))
        .filter(file -> unchanged(file).isEmpty())
        .map(file -> file.getFileName().toString())
        .toList();
  }

  /** Deletes temporary files of killed processes; no process may write meanwhile. */
  void deleteLeftovers() throws IOException {
    for (Path folder : List.of(kb.folder(), kb.insights())) {
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && Files.isWritable(folder)) {
        AtomicFile.deleteLeftovers(folder);
      }
    }
  }
}
