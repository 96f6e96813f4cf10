package dev.helixbg.insight.report;

import dev.helixbg.config.Sha256;
import io.jstach.jstache.JStache;
import io.jstach.jstache.JStachePath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The report for a browser: one file that loads no other file. Its content security policy names
 * the file's own style block and script by their hashes. With the script, the reader can move
 * between findings and copy commands; without it, everything is readable.
 */
public final class HtmlReport {
  private static final String STYLE = "report.css";
  private static final String SCRIPT = "report.js";

  private HtmlReport() {}

  /** The data of the template. The template does not escape style and script. */
  @JStachePath(prefix = "dev/helixbg/insight/report/", suffix = ".mustache")
  @JStache(path = "report")
  record Page(
      ReportView report, String style, String styleHash, String script, String scriptHash) {}

  public static String render(Report report) {
    String style = resource(STYLE);
    String script = resource(SCRIPT);
    StringBuilder html = new StringBuilder(1 << 16);
    PageRenderer.of()
        .execute(new Page(ReportView.of(report), style, hash(style), script, hash(script)), html);
    return html.toString();
  }

  /** Returns a resource between two line breaks. The browser's hash includes both line breaks. */
  private static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      return "\n" + new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hash(String text) {
    byte[] digest = Sha256.start().digest(text.getBytes(StandardCharsets.UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }
}
