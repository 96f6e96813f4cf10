package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SafeTextTest {

  /** What may be in a text that a terminal or a browser gets, line feeds and tabs aside. */
  static boolean isHarmless(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      case Character.FORMAT -> c >= 0x600 && c <= 0x8E2 && c != 0x61C || c >= 0x110BD;
      default -> true;
    };
  }

  @Test
  void noCodePointOfUnicodeIsLeftThatActsOrHides() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      String one = Character.toString(c);
      String name = SafeText.name(one);
      assertTrue(name.codePoints().allMatch(SafeTextTest::isHarmless), "U+%X".formatted(c));
      assertTrue(
          SafeText.excerpt(one, 10).codePoints().allMatch(SafeTextTest::isHarmless),
          "U+%X".formatted(c));
      if (c != '\n' && c != '\t') {
        assertEquals(name, SafeText.block(one), "U+%X".formatted(c));
      }
    }
  }

  @Test
  void controlsAndBidiOverridesAreShownInsteadOfObeyed() {
    assertEquals("␀␛[2J␇␡", SafeText.name("\0\u001B[2J\u0007\u007F"));
    assertEquals("a\uFFFDb\uFFFDc", SafeText.name("a\u202Eb\u2066c"));
    assertEquals("\uFFFD31m", SafeText.name("\u009B31m"));
    assertEquals("\uFFFDx\uFFFD", SafeText.name("\uD800x\uDC00"));
    assertEquals("\uFFFD\uFFFD", SafeText.name("\uDB40\uDC41\uDB40\uDC7F"));
  }

  @Test
  void namesKeepLineBreaksVisibleAndTextsKeepThem() {
    assertEquals("a␊b␍␊c␉d", SafeText.name("a\nb\r\nc\td"));
    assertEquals("a\nb\nc\td␍e", SafeText.block("a\nb\r\nc\td\re"));
  }

  @Test
  void honestTextIsUntouched() {
    String text = "Grüße, 漢字, עברית, नमस्ते 😀 – “x” ~ \u0661\u06DD";
    assertEquals(text, SafeText.name(text));
    assertEquals(text, SafeText.block(text));
    assertEquals(text, SafeText.wellFormed(text));
    assertEquals("👩👧", SafeText.name("👩\u200D👧"));
    assertEquals("نمیخواهم", SafeText.name("نمی\u200Cخواهم"));
  }

  @Test
  void excerptsFoldWhiteSpaceAndMarkTheCut() {
    assertEquals("a b c", SafeText.excerpt("  a\n\t b\u2028c  ", 20));
    assertEquals("abcd", SafeText.excerpt("abcd", 4));
    assertEquals("abc…", SafeText.excerpt("abcde", 4));
    assertEquals("漢…", SafeText.excerpt("漢字漢字", 4));
    assertEquals("", SafeText.excerpt(" \n ", 4));
  }

  @Test
  void excerptsNeverExceedTheirColumns() {
    Random random = new Random(7);
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(30); i > 0; i--) {
        int[] pool = {'a', ' ', 0x6F22, 0x301, 0x1F600, '\n', 0x202E, 0xD800, 0x200B};
        text.appendCodePoint(pool[random.nextInt(pool.length)]);
      }
      int columns = 1 + random.nextInt(20);
      String excerpt = SafeText.excerpt(text.toString(), columns);
      assertTrue(Columns.of(excerpt) <= columns, () -> text + " in " + columns + ": " + excerpt);
    }
  }

  @Test
  void wellFormedTextCanBeEncoded() {
    String text = "\uD800 \uDC00 \uD83D\uDE00 \uDC00\uD800";
    String wellFormed = SafeText.wellFormed(text);
    assertEquals("\uFFFD \uFFFD \uD83D\uDE00 \uFFFD\uFFFD", wellFormed);
    byte[] utf8 = wellFormed.getBytes(StandardCharsets.UTF_8);
    assertFalse(new String(utf8, StandardCharsets.UTF_8).contains("?"));
  }
}
