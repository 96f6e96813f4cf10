package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A token is a character here. */
class SentenceCutTest {
  private static SentenceCut cut(String text, int budget) {
    return SentenceCut.of(text, budget, String::length);
  }

  @Test
  void aTextWithinTheBudgetStaysAsItIs() {
    assertEquals(new SentenceCut(" One.  Two ", 11, false), cut(" One.  Two ", 11));
    assertEquals(new SentenceCut("", 0, false), cut("", 5));
  }

  @Test
  void aLongerOneEndsWithASentence() {
    assertEquals("One. Two!", cut("One. Two! Three is longer.", 20).text());
    assertEquals("See v1.2 there.", cut("See v1.2 there. And more", 20).text());
    assertEquals("a line", cut("a line\nanother line", 12).text());
    assertEquals("一つ。", cut("一つ。二つ目の文", 5).text());
    assertTrue(cut("One. Two! Three is longer.", 20).cut());
  }

  @Test
  void withoutASentenceItEndsWithAWordAndWithoutAWordWithACharacter() {
    assertEquals("one two", cut("one two three", 9).text());
    assertEquals("abcdef", cut("abcdefghij", 6).text());
    assertEquals("a", cut("a\uD83D\uDE00b", 2).text());
    assertEquals("", cut("abc", 0).text());
  }

  @Test
  void ofAVeryLongTextOnlyTheBeginningIsLookedAt() {
    int[] longest = {0};
    SentenceCut cut =
        SentenceCut.of(
            "word ".repeat(1_000_000),
            10,
            text -> {
              longest[0] = Math.max(longest[0], text.length());
              return text.length() / 5;
            });
    assertTrue(cut.cut());
    assertFalse(longest[0] > 320, "looked at " + longest[0] + " characters");
  }
}
