package dev.helixbg.config.text;

import java.util.regex.Pattern;

/**
 * Quotes a name within a sentence. Other people choose the names. Without quotes, a file called
 * {@code a.md and all files of the folder ops} would read as an instruction.
 */
public final class QuotedName {
  /** Greatest length of the quoted name, in UTF-16 units. */
  private static final int LONGEST = 160;

  /**
   * A name of one word, without a blank, a letter that looks like a blank, or a mark that ends a
   * sentence.
   */
  private static final Pattern PLAIN =
      Pattern.compile(
          "(?!.*[\\u115F\\u1160\\u3164\\uFFA0])"
              + "[\\p{L}\\p{M}\\p{N}_/#@+~:.-]{0,99}[\\p{L}\\p{M}\\p{N}_/]");

  private static final Pattern MARKS = Pattern.compile("[“”„‟\"]");

  private QuotedName() {}

  /**
   * Returns a plain word unchanged. Any other name is returned in quotation marks, on one line, and
   * cut if it is long; its own quotation marks become apostrophes.
   */
  public static String of(String name) {
    if (PLAIN.matcher(name).matches()) {
      return name;
    }
    String line = PrintableText.line(name);
    return "“" + PrintableText.beginning(MARKS.matcher(line).replaceAll("'"), LONGEST) + "”";
  }
}
