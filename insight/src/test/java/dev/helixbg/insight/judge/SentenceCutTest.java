package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** In these tests, each character counts as a token. */
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

  private static String around(String text, String place, int budget) {
    SentenceCut cut = SentenceCut.around(text, text.indexOf(place), budget, String::length);
    assertTrue(cut.text().length() <= budget, cut.text());
    assertEquals(cut.text().length(), cut.tokens());
    assertTrue(text.contains(cut.text()), cut.text());
    assertEquals(text.length() > budget, cut.cut());
    return cut.text();
  }

  @Test
  void whatMattersIsReadWithWhatIsAroundIt() {
    String text = "One is first. Two is here. Three is it. Four is next. Five ends it.";
    assertEquals(text, around(text, "Three", 100), "all of it, where there is room");
    assertEquals("Two is here. Three is it.", around(text, "Three", 30));
    assertEquals("Two is here. Three is it. Four is next.", around(text, "Three", 52));
    assertEquals("Four is next. Five ends it.", around(text, "Five", 30), "the end leaves room");
    assertEquals("One is first. Two is here.", around(text, "One", 30));
    assertEquals("Three", around(text, "Three", 5));
    assertEquals("", around(text, "Three", 0));
  }

  @Test
  void anyPlaceOfAnyTextMatters() {
    Random random = new Random(5);
    String signs = "ab .\n\uD83D\uDE00。";
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(40); i > 0; i--) {
        text.append(signs.charAt(random.nextInt(signs.length())));
      }
      int from = random.nextInt(-2, 45);
      int budget = random.nextInt(30);
      SentenceCut cut = SentenceCut.around(text.toString(), from, budget, String::length);
      assertTrue(cut.text().length() <= budget && text.indexOf(cut.text()) >= 0, text.toString());
    }
  }
}
