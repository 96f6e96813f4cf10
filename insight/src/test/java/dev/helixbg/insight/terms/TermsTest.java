package dev.helixbg.insight.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the terms of texts, and the vectors that are computed from terms. */
class TermsTest {
  @Test
  void countsWordsIdentifiersAndTheirParts() {
    assertEquals(
        Map.of("hold.ttl", 1, "hold", 2, "ttl", 1, "maxretri", 1, "max", 1, "retri", 1, "15", 1),
        Terms.of("Holds: `hold.ttl` = 15, maxRetries.").counts());
    assertEquals(Map.of("über", 1, "grösse", 1), Terms.of("-- über … größe_ --").counts());
    assertEquals(Map.of(), Terms.of("").counts());
  }

  /**
   * Chinese, Japanese and Thai have no spaces between words, so a word is found inside a run of
   * characters.
   */
  @Test
  void ofScriptsWithoutSpacesTwoCharactersAreAWord() {
    assertEquals(Map.of("秋天", 1, "天施", 1, "施肥", 1), Terms.of("秋天施肥。").counts());
    assertEquals(Map.of("gpu", 1, "設定", 1, "肥", 1), Terms.of("GPU設定 肥").counts());
    assertTrue(
        Terms.of("ประชุมบ่ายสอง")
            .counts()
            .keySet()
            .containsAll(Terms.of("บ่าย").counts().keySet()));
    assertEquals(Map.of("किताब", 1), Terms.of("किताब").counts(), "a vowel sign ends no word");
  }

  /** In Korean, particles follow a word without a space. */
  @Test
  void aKoreanWordIsFoundWithItsParticle() {
    assertEquals(Map.of("로그", 1, "그를", 1), Terms.of("로그를").counts());
    assertEquals(Map.of("로그", 1), Terms.among(Set.of("로그")).apply("로그를 읽는다"));
  }

  @Test
  void symbolsAndRareCharactersAreWords() {
    assertEquals(Map.of("🐛", 1, "fix", 1, "✅", 1), Terms.of("🐛 fix ✅").counts());
    assertEquals(Map.of("𠮷野", 1, "野家", 1), Terms.of("𠮷野家").counts());
    assertEquals(Map.of("👩", 1, "💻", 1), Terms.of("👩\u200d💻").counts());
    assertEquals(Map.of("24", 1, "c", 1, "src", 1), Terms.of("24°C ├── src ↳").counts());
    assertEquals(Map.of("🐛", 1), Terms.among(Set.of("🐛")).apply("(🐛)"));
  }

  @Test
  void formsOfUnicodeWidthAndCaseCountForNothing() {
    assertEquals(Terms.of("Café").counts(), Terms.of("CAFE\u0301").counts());
    assertEquals(Terms.of("GPU 設定 42").counts(), Terms.of("ＧＰＵ 設定 ４２").counts());
    assertEquals(Terms.of("STRASSE ΟΔΟΣ").counts(), Terms.of("straße οδος").counts());
    assertEquals(Terms.of("İzinler izin").counts(), Terms.of("izinler İZIN").counts());
    assertEquals(Map.of("strasse", 1), Terms.among(Set.of("strasse")).apply("Straße"));
    assertEquals(Map.of("施肥", 1), Terms.among(Set.of("施肥")).apply("秋天施肥"));
  }

  /** Users search without accents, for example on a foreign keyboard. */
  @Test
  void aWordWithAccentsIsFoundWithoutThem() {
    assertEquals("자료", Terms.withAndWithoutAccents("자료"));
    String[] texts = {"les données", "gardez les DONNÉES", "donnees", "자료"};
    for (Optional<String> only : List.of(Optional.of("donnees"), Optional.<String>empty())) {
      Map<Integer, Float> found = new HashMap<>();
      TermVectors terms = TermVectors.forQueries(only, 4, i -> texts[i], 4);
      terms.products().share("donnees", found::put);
      assertEquals(Set.of(0, 1, 2), found.keySet());
    }
  }

  @Test
  void encodedDataIsNoWord() {
    assertEquals(Map.of("a1", 1), Terms.of("a1 " + "x".repeat(10_000)).counts());
  }

  @Test
  void showsTermsAsTheyWereWritten() {
    assertEquals("Holds", Terms.of("All Holds are held: holds.").spellings().get("hold"));
  }

  private static TermVectors of(String... texts) {
    return TermVectors.of(texts.length, i -> texts[i], texts.length, 2);
  }

  @Test
  void vectorsAreTfIdfAtUnitLength() {
    TermVectors terms = of("t hold sweeper sweeper", "t hold sweeper pallet", "t ferry");

    double hold = Math.log(3 / 2.0);
    double twice = (1 + Math.log(2)) * hold;
    double rare = Math.log(3);
    double expected =
        (hold * hold + twice * hold)
            / Math.hypot(hold, twice)
            / Math.sqrt(2 * hold * hold + rare * rare);
    assertEquals(expected, terms.similarity(0, 1), 1e-6);
    assertEquals(terms.similarity(0, 1), terms.similarity(1, 0));
    assertEquals(0, terms.similarity(0, 2)); // the topic, which all entries have, does not count
    assertEquals(List.of("sweeper", "hold"), terms.shared(0, 1));
  }

  @Test
  void whatVeryManyEntriesSayIsLeftOut() {
    String[] texts = new String[600];
    for (int i = 0; i < 600; i++) {
      texts[i] =
          ("t%d common " + (i < 60 ? "known" : "")).formatted(i)
              + (i < 61 ? " usual" : "")
              + (i / 2 == 3 || i == 8 ? " pair" : "");
    }
    TermVectors terms = of(texts);

    assertTrue(terms.similarity(0, 59) > 0);
    assertEquals(0, terms.similarity(0, 60));
    assertEquals(List.of("pair"), terms.shared(7, 8)); // "known" is not rare
  }

  @Test
  void aTextCountsByTheShareOfAQueryThatItSays() {
    String[] texts = {"hold sweeper", "hold pallet", "ferry harbour", "hold"};
    // The last text is a passage of the first entry, so frequencies do not count it.
    TermVectors terms = TermVectors.forQueries(Optional.empty(), 4, i -> texts[i], 3);
    TermVectors.Products products = terms.products();
    for (int again = 0; again < 2; again++) {
      Map<Integer, Float> found = new HashMap<>();
      products.share("Which sweeper holds?", found::put);
      double hold = Math.log(3 / 2.0);
      double rare = Math.log(3);
      double query = hold + 2 * rare; // no entry has "which"
      assertEquals(Set.of(0, 1, 3), found.keySet());
      assertEquals((hold + rare) / query, found.get(0), 1e-6);
      assertEquals(hold / query, found.get(1), 1e-6);
      assertEquals(hold / query, found.get(3), 1e-6);
    }
    products.share("nothing of it", (text, share) -> fail());
    products.share("", (text, share) -> fail());
  }
}
