package dev.helixbg.insight.report;

import io.jstach.jstache.JStache;
import io.jstach.jstache.JStacheLambda;
import io.jstach.jstache.JStachePath;
import java.util.regex.Pattern;

/**
 * The report for a Markdown viewer or a plain terminal. In a template, a value in double braces
 * becomes inline code, so that Markdown in the value has no effect. Triple braces insert helix-bg's
 * own words unchanged. The delimiters around code are longer than any run of backquotes inside.
 */
public final class MarkdownReport {
  private static final Pattern BACKQUOTES = Pattern.compile("`+");

  private MarkdownReport() {}

  /** The data of the template, and the function with which the template makes a code block. */
  @JStachePath(prefix = "dev/helixbg/insight/report/md/", suffix = ".mustache")
  @JStache(path = "report")
  record Document(ReportView report) {
    @JStacheLambda
    @JStacheLambda.Raw
    public String fenced(String text) {
      String fence = fence(text);
      return fence + "text\n" + text + (text.endsWith("\n") ? "" : "\n") + fence + "\n";
    }
  }

  public static String render(Report report) {
    return new DocumentRenderer(null, MarkdownReport::code)
        .execute(new Document(ReportView.of(report)), new StringBuilder(1 << 14))
        .toString();
  }

  /**
   * Returns a delimiter for a code block; it is longer than any run of backquotes in the text, so
   * the text cannot end the block.
   */
  public static String fence(String text) {
    return "`".repeat(Math.max(3, longestRun(text) + 1));
  }

  static String code(String text) {
    if (text.isBlank()) {
      return "(blank)";
    }
    String ticks = "`".repeat(longestRun(text) + 1);
    boolean padded =
        text.startsWith("`") || text.endsWith("`") || (text.startsWith(" ") && text.endsWith(" "));
    String space = padded ? " " : "";
    return ticks + space + text + space + ticks;
  }

  private static int longestRun(String text) {
    return BACKQUOTES.matcher(text).results().mapToInt(run -> run.group().length()).max().orElse(0);
  }
}
