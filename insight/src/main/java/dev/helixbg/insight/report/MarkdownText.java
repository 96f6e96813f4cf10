package dev.helixbg.insight.report;

/**
 * Text set into Markdown such that nothing in it is Markdown: as code, fenced or inline, whose
 * delimiters are longer than any inside. Takes text that passed {@link PrintableText}.
 */
final class MarkdownText {
  private MarkdownText() {}

  /** A code block for the top level of the document. */
  static String fenced(String text) {
    String fence = "`".repeat(Math.max(3, longestRun(text) + 1));
    return fence + "text\n" + text + (text.endsWith("\n") ? "" : "\n") + fence + "\n";
  }

  /** Inline code for one line of text. */
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
    int longest = 0;
    int run = 0;
    for (int at = 0; at < text.length(); at++) {
      run = text.charAt(at) == '`' ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }
}
