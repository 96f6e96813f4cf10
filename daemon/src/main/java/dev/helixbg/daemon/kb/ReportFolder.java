package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.insight.report.HtmlReport;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.MarkdownReport;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/** The files of a report in a folder: the report as HTML, Markdown and JSON. */
public record ReportFolder(Path html, Path markdown, Path json) {

  public static ReportFolder of(Kb kb) {
    return in(kb.insights());
  }

  public static ReportFolder in(Path anywhere) {
    Path folder = anywhere.toAbsolutePath().normalize();
    return new ReportFolder(
        folder.resolve("report.html"), folder.resolve("report.md"), folder.resolve("report.json"));
  }

  /** Returns the files in the order of writing. If report.json, the last, is new, all are new. */
  List<Path> files() {
    return List.of(html, markdown, json);
  }

  /** Fails unless a report can be written into the folder. Creates nothing. */
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

  /**
   * Writes a report; each file is replaced in one step. The JSON is written while it is made,
   * because a large KB has hundreds of megabytes of it.
   */
  public void write(Report report) {
    Path folder = json.getParent();
    try {
      PrivateFiles.makeFolder(folder);
      AtomicFile.update(html, HtmlReport.render(report).getBytes(StandardCharsets.UTF_8));
      AtomicFile.update(markdown, MarkdownReport.render(report).getBytes(StandardCharsets.UTF_8));
      AtomicFile.replace(json, out -> JsonReport.write(report, out));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write the report to " + folder, e);
    }
  }

  /** Replaces each file with a copy from another folder; follows no links. */
  void copyFrom(ReportFolder source) throws IOException {
    PrivateFiles.makeFolder(json.getParent());
    for (int i = 0; i < files().size(); i++) {
      Path from = source.files().get(i);
      AtomicFile.replace(files().get(i), out -> Files.copy(from, out));
    }
  }
}
