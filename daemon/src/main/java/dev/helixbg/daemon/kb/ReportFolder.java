package dev.helixbg.daemon.kb;

import dev.helixbg.config.Sha256;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.insight.report.HtmlReport;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.MarkdownReport;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** The three forms of a report in a KB's insights folder. */
public record ReportFolder(Path html, Path markdown, Path json) {

  public static ReportFolder of(Kb kb) {
    return in(kb.insights());
  }

  public static ReportFolder in(Path anywhere) {
    Path folder = anywhere.toAbsolutePath().normalize();
    return new ReportFolder(
        folder.resolve("report.html"), folder.resolve("report.md"), folder.resolve("report.json"));
  }

  /**
   * What the files are to hold, each made when the one before is on the disk: of a large KB they
   * have hundreds of megabytes.
   */
  record Content(Supplier<byte[]> html, Supplier<byte[]> markdown, Supplier<byte[]> json) {
    static Content of(Report report) {
      return new Content(
          () -> HtmlReport.render(report).getBytes(StandardCharsets.UTF_8),
          () -> MarkdownReport.render(report).getBytes(StandardCharsets.UTF_8),
          () -> JsonReport.render(report));
    }
  }

  /** The SHA-256 of the three files. */
  record Hashes(String html, String markdown, String json) {
    String joined() {
      return String.join(" ", html, markdown, json);
    }
  }

  /** Hears of a report that is about to be where it is read. */
  @FunctionalInterface
  interface Herald {
    void isComing(Hashes report) throws IOException;
  }

  /**
   * Looks, before there is a report, whether the folder is one or can be made; it makes nothing.
   *
   * @throws Failure with {@link ExitCode#WRITE}
   */
  public void check() {
    Path folder = json.getParent();
    boolean isThere = Files.exists(folder, LinkOption.NOFOLLOW_LINKS);
    Path first = isThere || folder.getParent() == null ? folder : folder.getParent();
    String why =
        !Files.exists(first)
            ? "there is no folder " + first
            : !Files.isDirectory(first)
                ? first + " is not a folder"
                : !Files.isWritable(first) ? first + " is not writable" : "";
    if (!why.isEmpty()) {
      throw new Failure(ExitCode.WRITE, "cannot write the report to " + folder + ": " + why);
    }
  }

  /** Writes a report for people; one that helix-bg reads again is written by SealedReports. */
  public void write(Report report) {
    write(Content.of(report), hashes -> {});
  }

  /**
   * Replaces each file in one step, report.json last: where it is new, all of them are. A file that
   * holds the very same bytes is left alone.
   *
   * @param herald is told when all of them are written beside those that they replace
   */
  void write(Content content, Herald herald) {
    Path folder = json.getParent();
    try {
      PrivateFiles.makeFolder(folder);
      try (NewFile newHtml = NewFile.of(html, content.html().get());
          NewFile newMarkdown = NewFile.of(markdown, content.markdown().get());
          NewFile newJson = NewFile.of(json, content.json().get())) {
        herald.isComing(new Hashes(newHtml.sha256(), newMarkdown.sha256(), newJson.sha256()));
        newHtml.publish();
        newMarkdown.publish();
        newJson.publish();
      }
      AtomicFile.syncFolder(folder);
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write the report to " + folder, e);
    }
  }

  /**
   * What a file is to hold.
   *
   * @param written beside it; empty where it holds that already
   */
  private record NewFile(Path target, String sha256, Optional<AtomicFile> written)
      implements AutoCloseable {
    static NewFile of(Path target, byte[] content) throws IOException {
      return new NewFile(target, Sha256.of(content), AtomicFile.writeChange(target, content));
    }

    void publish() throws IOException {
      if (written.isPresent()) {
        written.get().renameTo(target);
      }
    }

    @Override
    public void close() throws IOException {
      if (written.isPresent()) {
        written.get().close();
      }
    }
  }
}
