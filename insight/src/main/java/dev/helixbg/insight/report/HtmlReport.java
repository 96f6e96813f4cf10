package dev.helixbg.insight.report;

import dev.helixbg.config.Sha256;
import io.jstach.jstache.JStache;
import io.jstach.jstache.JStachePartial;
import io.jstach.jstache.JStachePartials;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The report for a browser: one file that loads nothing and runs nothing. Its content security
 * policy allows its own style block, named by hash, and forbids everything else.
 */
public final class HtmlReport {
  private static final String TEMPLATES = "dev/helixbg/insight/report/";
  private static final String STYLE = "report.css";

  private HtmlReport() {}

  /**
   * What the template sees.
   *
   * @param style the style sheet, the only text that the template does not escape
   * @param styleHash as the content security policy spells it
   */
  @JStache(path = TEMPLATES + "report.mustache")
  @JStachePartials({
    @JStachePartial(name = "pairs", path = TEMPLATES + "pairs.mustache"),
    @JStachePartial(name = "pair", path = TEMPLATES + "pair.mustache"),
    @JStachePartial(name = "item", path = TEMPLATES + "item.mustache"),
    @JStachePartial(name = "acts", path = TEMPLATES + "acts.mustache"),
    @JStachePartial(name = "entry", path = TEMPLATES + "entry.mustache")
  })
  record Page(ReportView report, String style, String styleHash) {}

  public static String render(Report report) {
    String style = style();
    StringBuilder html = new StringBuilder(1 << 16);
    PageRenderer.of().execute(new Page(ReportView.of(report), style, hash(style)), html);
    return html.toString();
  }

  /** With the line breaks around it, which the browser hashes too. */
  private static String style() {
    try (InputStream in = HtmlReport.class.getResourceAsStream(STYLE)) {
      return "\n" + new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hash(String style) {
    byte[] digest = Sha256.start().digest(style.getBytes(StandardCharsets.UTF_8));
    return "sha256-" + Base64.getEncoder().encodeToString(digest);
  }
}
