package dev.helixbg.insight.judge;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds the words of a text, and sequences of words that the text repeats. Texts of small models
 * often repeat words.
 */
public final class WordRepetition {
  /**
   * Minimum number of words in a repeated sequence. The sequence must also have {@link
   * #LOOP_CHARACTERS} characters.
   */
  private static final int LOOP_WORDS = 6;

  private static final int LOOP_CHARACTERS = 24;

  /** A word; in writing systems without spaces, one character. */
  private static final Pattern WORD =
      Pattern.compile(
          "[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]"
              + "|[\\p{L}\\p{M}\\p{N}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]]+");

  private WordRepetition() {}

  /** Returns the words in order, in lower case. */
  public static List<String> of(String text) {
    return WORD.matcher(text.toLowerCase(Locale.ROOT)).results().map(MatchResult::group).toList();
  }

  /** Returns the sequences of words that occur more than once. */
  public static Set<List<String>> loops(String text) {
    List<String> words = of(text);
    Set<List<String>> seen = new HashSet<>();
    Set<List<String>> again = new HashSet<>();
    for (int from = 0; from < words.size(); from++) {
      int to = from;
      int characters = 0;
      while (to < words.size() && (to < from + LOOP_WORDS || characters < LOOP_CHARACTERS)) {
        characters += words.get(to++).length();
      }
      List<String> run = words.subList(from, to);
      boolean whole = run.size() >= LOOP_WORDS && characters >= LOOP_CHARACTERS;
      if (whole && !seen.add(run)) {
        again.add(run);
      }
    }
    return again;
  }
}
