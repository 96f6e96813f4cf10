package dev.helixbg.config.text;

import java.util.regex.Pattern;

/**
 * Sets a name off within a sentence. Names are written by other people: without quotes, a file
 * called {@code a.md and all files of the folder ops} would read as an instruction.
 */
public final class QuotedName {
  /** The most that stands between the quotation marks, in UTF-16 units. */
  private static final int LONGEST = 160;

  /** One word: no blank, no mark that ends a sentence, no letter that looks like a blank. */
  private static final Pattern PLAIN =
      Pattern.compile(
          "(?!.*[\\u115F\\u1160\\u3164\\uFFA0])"
              + "[\\p{L}\\p{M}\\p{N}_/#@+~:.-]{0,99}[\\p{L}\\p{M}\\p{N}_/]");

  private static final Pattern MARKS = Pattern.compile("[“”„‟\"]");

  private QuotedName() {}

  /**
   * The name as it is where it is one plain word, else in quotation marks, on one line and bounded.
   * Quotation marks within it become simple ones.
   */
  public static String of(String name) {
    if (PLAIN.matcher(name).matches()) {
      return name;
    }
    String line = PrintableText.line(name);
    return "“" + PrintableText.beginning(MARKS.matcher(line).replaceAll("'"), LONGEST) + "”";
  }
}
