package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.text.Normalizer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests which parts of a text are embedded, and which are left out. */
class SaidTextTest {
  @Test
  void dataIsLeftOutOfWhatIsEmbedded() {
    String said = "The seal of the door is blue and ";
    String lines = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2\n".repeat(5);
    assertEquals(said + SaidText.MARK, SaidText.of(said + "a1B/".repeat(100) + "=="));
    assertEquals(said + "\n" + SaidText.MARK + "end", SaidText.of(said + "\n" + lines + "end"));
    assertEquals(
        "a ![x](" + SaidText.MARK + ") b",
        SaidText.of("a ![x](data:image/png;base64," + "AAAA".repeat(20) + ") b"));
  }

  @Test
  void wordsAddressesAndHashesStay() {
    String text =
        "https://example.org/a/rather/long-address_with_parts/of-all-kinds?x=1 and "
            + "da39a3ee5e6b4b0d3255bfef95601890afd80709da39a3ee5e6b4b0d3255bfef"
            + "\n|"
            + "-".repeat(1_000_000)
            + "|";
    assertSame(text, SaidText.of(text));
  }

  @Test
  void whatThePatternMatchesIsNeverOverlooked() {
    Random random = new Random(47);
    String[] signs = {"a", "/", "_", "-", "="};
    String[] between = {"\n", "\r", "\r\n", "\u2028", " ", "=", "==\n"};
    for (int text = 0; text < 800; text++) {
      StringBuilder made = new StringBuilder();
      boolean isOfLines = text % 2 == 0;
      for (int part = random.nextInt(9); part >= 0; part--) {
        String sign = signs[random.nextInt(isOfLines ? 2 : signs.length)];
        made.append(
            sign.repeat((isOfLines || random.nextBoolean() ? 60 : 256) - random.nextInt(2)));
        made.append(isOfLines ? "\n" : between[random.nextInt(between.length)]);
      }
      String all = made.toString();
      assertEquals(SaidText.DATA.matcher(all).replaceAll(SaidText.MARK), SaidText.of(all));
    }
  }

  @Test
  void threeLongLinesStayAndFourAreData() {
    String line = "\r" + "a".repeat(60);
    String three = line + ("\n" + "b".repeat(60)).repeat(2);
    assertEquals(three, SaidText.of(three));
    assertEquals("\r" + SaidText.MARK, SaidText.of(three + "\n" + "c".repeat(60)));
  }

  @Test
  void oneEntryIsKnownInBothUnicodeForms() {
    String decomposed = Normalizer.normalize("Der Schlüssel", Normalizer.Form.NFD);
    for (String content : List.of("Der Schlüssel", decomposed)) {
      String body = "[modified: 2026-11-20 12:47]\n" + content;
      assertEquals("haus Der Schlüssel", Entry.of(0, "haus", body, 0).embeddedText());
    }
  }
}
