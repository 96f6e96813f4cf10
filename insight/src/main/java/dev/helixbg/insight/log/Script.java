package dev.helixbg.insight.log;

import java.lang.Character.UnicodeScript;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Recognises writing systems without spaces between words, and those that models cannot read. */
public final class Script {
  /**
   * Writing systems whose letters are all in the vocabulary of the bundled models. The models
   * cannot tell letters apart that their vocabulary lacks. It has 244 of 20,000 Chinese characters,
   * and no Japanese or Korean words.
   */
  private static final Set<UnicodeScript> READABLE =
      EnumSet.of(
          UnicodeScript.LATIN,
          UnicodeScript.GREEK,
          UnicodeScript.CYRILLIC,
          UnicodeScript.ARABIC,
          UnicodeScript.HEBREW,
          UnicodeScript.ARMENIAN,
          UnicodeScript.GEORGIAN,
          UnicodeScript.DEVANAGARI,
          UnicodeScript.BENGALI,
          UnicodeScript.COMMON,
          UnicodeScript.INHERITED);

  /** Writing systems without spaces between words, as a character class of a regular expression. */
  public static final String WITHOUT_SPACES =
      "[\\p{IsHan}\\p{IsHiragana}\\p{IsKatakana}\\p{IsThai}\\p{IsLao}\\p{IsKhmer}\\p{IsMyanmar}]";

  /** Maximum number of UTF-16 units that are examined, from the beginning of a text. */
  private static final int LONGEST = 10_000;

  private Script() {}

  /** Whether most letters of a text are of writing systems that the bundled models cannot read. */
  public static boolean isUnreadable(String text) {
    String beginning = text.substring(0, Math.min(text.length(), LONGEST));
    int[] letters = beginning.codePoints().filter(Character::isLetter).toArray();
    long unreadable =
        Arrays.stream(letters)
            .filter(c -> c >= 0x80 && !READABLE.contains(UnicodeScript.of(c)))
            .count();
    return 2 * unreadable > letters.length;
  }

  /**
   * Whether a character belongs to a writing system without spaces between words. Korean counts
   * too, because it has no space between a word and its particle.
   */
  public static boolean hasJoinedWords(char c) {
    return c >= 0x0E00
        && (c <= 0x0EFF // Thai, Lao
            || c >= 0x1000 && c <= 0x109F // Myanmar
            || c >= 0x1780 && c <= 0x17FF // Khmer
            || c >= 0x3005 && c <= 0x3007
            || c >= 0x3040 && c <= 0x30FF // kana
            || c >= 0x31F0 && c <= 0x31FF
            || c >= 0x3400 && c <= 0x9FFF // Han
            || c >= 0xAC00 && c <= 0xD7A3 // Hangul
            || c >= 0xF900 && c <= 0xFAFF);
  }
}
