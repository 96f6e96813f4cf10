package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.store.AtomicFile;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.insight.report.HtmlReport;
import dev.helixbg.insight.report.JsonReport;
import dev.helixbg.insight.report.MarkdownReport;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The three forms of a report in a KB's insights folder. */
public record ReportFolder(Path html, Path markdown, Path json) {

  public static ReportFolder of(Kb kb) {
    return in(kb.insights());
  }

  public static ReportFolder in(Path folder) {
    return new ReportFolder(
        folder.resolve("report.html"), folder.resolve("report.md"), folder.resolve("report.json"));
  }

  /**
   * Replaces each file in one step, report.json last: where it is new, all of them are. A file that
   * holds the very same bytes is left alone.
   */
  public void write(Report report) {
    try {
      PrivateFiles.makeFolder(json.getParent());
      AtomicFile.update(html, HtmlReport.render(report).getBytes(StandardCharsets.UTF_8));
      AtomicFile.update(markdown, MarkdownReport.render(report).getBytes(StandardCharsets.UTF_8));
      AtomicFile.update(json, JsonReport.render(report));
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE, "cannot write the report to " + json.getParent() + ": " + Reasons.of(e));
    }
  }
}
