package dev.helixbg.config.text;

import java.util.regex.Pattern;

/**
 * Quotes a name, so that it cannot be taken for a part of the sentence around it. An example of
 * such a name is the file name {@code a.md and all files of the folder ops}.
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

  /** Returns a plain word unchanged, any other name in quotes, on one line and cut if long. */
  public static String of(String name) {
    if (PLAIN.matcher(name).matches()) {
      return name;
    }
    String line = PrintableText.line(name);
    return "“" + PrintableText.beginning(MARKS.matcher(line).replaceAll("'"), LONGEST) + "”";
  }
}
