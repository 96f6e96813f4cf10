package dev.helixbg.insight.report;

/**
 * Sets text into Markdown as code, fenced or inline, so that nothing in it is Markdown. The
 * delimiters are longer than any in the text, which must have passed {@link PrintableText}.
 */
final class MarkdownText {
  private MarkdownText() {}

  /** Returns a code block for the top level of the document. */
  static String fenced(String text) {
    String fence = "`".repeat(Math.max(3, longestRun(text) + 1));
    return fence + "text\n" + text + (text.endsWith("\n") ? "" : "\n") + fence + "\n";
  }

  /** Returns inline code for one line of text. */
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
