package dev.helixbg.config.text;

import java.util.regex.Pattern;

/**
 * Quotes a name within a sentence. Other people choose the names. Without quotes, a file called
 * {@code a.md and all files of the folder ops} would read as an instruction.
 */
public final class QuotedName {
  private static final int LONGEST = 160;

  /** A plain word: it has no blanks, no letters that look blank, and no punctuation at its end. */
  private static final Pattern PLAIN =
      Pattern.compile(
          "(?!.*[\\u115F\\u1160\\u3164\\uFFA0])"
              + "[\\p{L}\\p{M}\\p{N}_/#@+~:.-]{0,99}[\\p{L}\\p{M}\\p{N}_/]");

  private static final Pattern MARKS = Pattern.compile("[“”„‟\"]");

  private QuotedName() {}

  /**
   * Cuts a name, puts it on one line, and quotes it, unless it is a plain word. Inner quotes become
   * apostrophes.
   */
  public static String of(String name) {
    if (PLAIN.matcher(name).matches()) {
      return name;
    }
    String line = PrintableText.line(name);
    return "“" + PrintableText.beginning(MARKS.matcher(line).replaceAll("'"), LONGEST) + "”";
  }
}
