package dev.helixbg.config.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import org.junit.jupiter.api.Test;

class NormalFormTest {

  @Test
  void eachCharacterIsComposedAsTheJdkDoesIt() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (Character.getType(c) != Character.SURROGATE) {
        String text = "a" + Character.toString(c);
        assertEquals(
            Normalizer.normalize(text, Form.NFC),
            NormalForm.composed(text),
            Integer.toHexString(c));
        String parted = Normalizer.normalize(text, Form.NFD).replaceAll("[\\u0300-\\u036f]", "");
        assertEquals(
            Normalizer.normalize(parted, Form.NFC),
            NormalForm.withoutAccents(text),
            Integer.toHexString(c));
      }
    }
    assertEquals("“Café”", NormalForm.composed("“Cafe\u0301”"));
  }

  @Test
  void widthAndHintsCountForNothing() {
    assertEquals("ABc ガ $\\", NormalForm.of("ＡＢ\u00ADc\uFE0F ｶﾞ $\\"));
    assertEquals("naïve – “plain”", NormalForm.of("naïve – “plain”"));
  }
}
