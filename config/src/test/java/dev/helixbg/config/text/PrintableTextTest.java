package dev.helixbg.config.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTextTest {

  @Test
  void noCodePointOfUnicodeIsLeftThatActsOrHides() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      String one = Character.toString(c);
      String name = PrintableText.line(one);
      assertTrue(name.codePoints().allMatch(HostileText::isHarmless), "U+%X".formatted(c));
      assertTrue(
          PrintableText.excerpt(one, 10).codePoints().allMatch(HostileText::isHarmless),
          "U+%X".formatted(c));
      if (c != '\n' && c != '\t') {
        assertEquals(name, PrintableText.block(one), "U+%X".formatted(c));
      }
    }
  }

  @Test
  void controlsAndBidiOverridesAreShownInsteadOfObeyed() {
    assertEquals("␀␛[2J␇␡", PrintableText.line("\0\u001B[2J\u0007\u007F"));
    assertEquals("a\uFFFDb\uFFFDc", PrintableText.line("a\u202Eb\u2066c"));
    assertEquals("\uFFFD31m", PrintableText.line("\u009B31m"));
    assertEquals("\uFFFDx\uFFFD", PrintableText.line("\uD800x\uDC00"));
    assertEquals("\uFFFD\uFFFD", PrintableText.line("\uDB40\uDC41\uDB40\uDC7F"));
  }

  @Test
  void namesKeepLineBreaksVisibleAndTextsKeepThem() {
    assertEquals("a␊b␍␊c␉d", PrintableText.line("a\nb\r\nc\td"));
    assertEquals("a\nb\nc\td␍e", PrintableText.block("a\nb\r\nc\td\re"));
  }

  @Test
  void honestTextIsUntouched() {
    String text = "Grüße, 漢字, עברית, नमस्ते 😀 – “x” ~ \u0661\u06DD";
    assertEquals(text, PrintableText.line(text));
    assertEquals(text, PrintableText.block(text));
    assertEquals(text, PrintableText.wellFormed(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "👩\u200D👧",
        "👩🏽\u200D💻 dev",
        "❤\uFE0F\u200D🔥",
        "نمی\u200Cخواهم",
        "क्\u200Dष",
        "ශ්\u200Dරී"
      })
  void joinersAreKeptWhereTheyChangeTheText(String text) {
    assertEquals(text, PrintableText.line(text));
    assertEquals(text, PrintableText.block(text));
    assertEquals(text, PrintableText.json(text));
    assertEquals(text, PrintableText.excerpt(text, 20));
    assertEquals(TextColumns.of(text.replaceAll("\\p{Cf}", "")), TextColumns.of(text));
  }

  @Test
  void otherJoinersAreDropped() {
    assertEquals("ab", PrintableText.line("\u200Da\u200C\u200D\u00ADb\u200B\u2060"));
    assertEquals("👩\u200D👧", PrintableText.line("👩\u200D\u200C\u200D👧"));
  }

  @Test
  void excerptsFoldWhiteSpaceAndMarkTheCut() {
    assertEquals("a b c", PrintableText.excerpt("  a\n\t b\u2028c  ", 20));
    assertEquals("abcd", PrintableText.excerpt("abcd", 4));
    assertEquals("abc…", PrintableText.excerpt("abcde", 4));
    assertEquals("漢…", PrintableText.excerpt("漢字漢字", 4));
    assertEquals("", PrintableText.excerpt(" \n ", 4));
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
      String excerpt = PrintableText.excerpt(text.toString(), columns);
      assertTrue(
          TextColumns.of(excerpt) <= columns, () -> text + " in " + columns + ": " + excerpt);
    }
  }

  @Test
  void wellFormedTextCanBeEncoded() {
    String text = "\uD800 \uDC00 \uD83D\uDE00 \uDC00\uD800";
    String wellFormed = PrintableText.wellFormed(text);
    assertEquals("\uFFFD \uFFFD \uD83D\uDE00 \uFFFD\uFFFD", wellFormed);
    byte[] utf8 = wellFormed.getBytes(StandardCharsets.UTF_8);
    assertFalse(new String(utf8, StandardCharsets.UTF_8).contains("?"));
  }

  @Test
  void jsonKeepsItsValueAndActsOnNoTerminal() {
    String text = String.join("\n", HostileText.CORPUS);
    String json = PrintableText.json('"' + text.replace("\n", "\\n") + '"');
    HostileText.assertHarmless(json, "JSON");
    Matcher escape = Pattern.compile("\\\\u([0-9a-f]{4})").matcher(json);
    String read =
        escape.replaceAll(
            c -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(c.group(1), 16))));
    assertEquals('"' + text + '"', read.replace("\\n", "\n"));
    assertEquals("{\"a\": \"é漢😀\"}\n", PrintableText.json("{\"a\": \"é漢😀\"}\n"));
  }

  @ParameterizedTest
  @CsvSource({"✅⚡❌⭐🟢, 10", "🇩🇪, 2", "漢🈚🈪, 6", "⚠é–, 3", "🚀🤖🪲, 6"})
  void columnsAreThoseOfATerminal(String text, int columns) {
    assertEquals(columns, TextColumns.of(text));
  }
}
