package dev.helixbg.config.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import org.junit.jupiter.api.Test;

class NormalFormTest {

  @Test
  void eachCharacterIsComposedAsTheJdkDoesIt() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (Character.getType(c) != Character.SURROGATE) {
        String text = "a" + Character.toString(c);
        assertThat(NormalForm.composed(text))
            .as(Integer.toHexString(c))
            .isEqualTo(Normalizer.normalize(text, Form.NFC));
      }
    }
    assertThat(NormalForm.composed("“Cafe\u0301”")).isEqualTo("“Café”");
  }

  @Test
  void widthAndHintsCountForNothing() {
    assertThat(NormalForm.of("ＡＢ\u00ADc\uFE0F ｶﾞ $\\")).isEqualTo("ABc ガ $\\");
    assertThat(NormalForm.of("naïve – “plain”")).isEqualTo("naïve – “plain”");
  }
}
