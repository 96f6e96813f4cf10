package dev.helixbg.insight.judge;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The words of a text, and what it says over and over, as small models do when they lose it. */
public final class WordRepetition {
  /**
   * Least number of words in a repeated run that is a loop; {@link #LOOP_CHARACTERS} must be met,
   * too.
   */
  private static final int LOOP_WORDS = 6;

  private static final int LOOP_CHARACTERS = 24;

  /** Where words are written without gaps, each character is one. */
  private static final Pattern WORD =
      Pattern.compile(
          "[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]"
              + "|[\\p{L}\\p{M}\\p{N}&&[^\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}]]+");

  private WordRepetition() {}

  /** In order, in lower case. */
  public static List<String> of(String text) {
    return WORD.matcher(text.toLowerCase(Locale.ROOT)).results().map(MatchResult::group).toList();
  }

  /** Runs of words that occur more than once; empty for a text that gets on. */
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
