package dev.helixbg.insight.report;

import io.jstach.jstache.JStache;
import io.jstach.jstache.JStacheLambda;
import io.jstach.jstache.JStachePartial;
import io.jstach.jstache.JStachePartials;

/**
 * The report for a Markdown viewer or a plain terminal. A value between two braces in a template
 * becomes inline code, in which nothing is Markdown. Three braces are only for words of helix-bg.
 */
public final class MarkdownReport {
  private static final String TEMPLATES = "dev/helixbg/insight/report/md/";

  private MarkdownReport() {}

  /** The data of the template, with the form of texts that are not inline code. */
  @JStache(path = TEMPLATES + "report.mustache")
  @JStachePartials({
    @JStachePartial(name = "pair", path = TEMPLATES + "pair.mustache"),
    @JStachePartial(name = "line", path = TEMPLATES + "line.mustache"),
    @JStachePartial(name = "name", path = TEMPLATES + "name.mustache"),
    @JStachePartial(name = "entry", path = TEMPLATES + "entry.mustache"),
    @JStachePartial(name = "acts", path = TEMPLATES + "acts.mustache")
  })
  record Document(ReportView report) {
    @JStacheLambda
    @JStacheLambda.Raw
    public String fenced(String text) {
      return MarkdownText.fenced(text);
    }
  }

  public static String render(Report report) {
    return new DocumentRenderer(null, MarkdownText::code)
        .execute(new Document(ReportView.of(report)), new StringBuilder(1 << 14))
        .toString();
  }
}
