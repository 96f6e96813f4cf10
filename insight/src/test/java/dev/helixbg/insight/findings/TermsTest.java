package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Words and the vectors made of them. */
class TermsTest {
  @Test
  void countsWordsIdentifiersAndTheirParts() {
    assertEquals(
        Map.of("hold.ttl", 1, "hold", 2, "ttl", 1, "maxretri", 1, "max", 1, "retri", 1, "15", 1),
        Terms.of("Holds: `hold.ttl` = 15, maxRetries.").counts());
    assertEquals(Map.of("über", 1, "größe", 1), Terms.of("-- über … größe_ --").counts());
    assertEquals(Map.of(), Terms.of("").counts());
  }

  @Test
  void encodedDataIsNoWord() {
    assertEquals(Map.of("a1", 1), Terms.of("a1 " + "x".repeat(10_000)).counts());
  }

  @Test
  void showsTermsAsTheyWereWritten() {
    assertEquals("Holds", Terms.of("All Holds are held: holds.").spelling("hold"));
  }

  @Test
  void vectorsAreTfIdfAtUnitLength() {
    Corpus corpus =
        new Corpus()
            .add("t", "hold sweeper sweeper", 1)
            .add("t", "hold sweeper pallet", 1)
            .add("t", "ferry", 1);
    TermVectors terms = TermVectors.of(corpus.entries);

    double hold = Math.log(3 / 2.0);
    double twice = (1 + Math.log(2)) * hold;
    double rare = Math.log(3);
    double expected =
        (hold * hold + twice * hold)
            / Math.hypot(hold, twice)
            / Math.sqrt(2 * hold * hold + rare * rare);
    assertEquals(expected, terms.similarity(0, 1), 1e-6);
    assertEquals(terms.similarity(0, 1), terms.similarity(1, 0));
    assertEquals(0, terms.similarity(0, 2)); // the topic, which all have, says nothing
    assertEquals(List.of("sweeper", "hold"), terms.shared(0, 1));
  }

  @Test
  void whatVeryManyEntriesSayIsLeftOut() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 600; i++) {
      corpus.add(
          "t" + i,
          "common "
              + (i < 60 ? "known" : "")
              + (i < 61 ? " usual" : "")
              + (i / 2 == 3 || i == 8 ? " pair" : ""),
          1);
    }
    TermVectors terms = TermVectors.of(corpus.entries);

    assertEquals(60, TermVectors.mostEntries(600));
    assertTrue(terms.similarity(0, 59) > 0);
    assertEquals(0, terms.similarity(0, 60));
    assertEquals(List.of("pair"), terms.shared(7, 8)); // "known" is not rare
  }

  @Test
  void listsHoldTheNearestWhateverTheNumberOfThreads() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 700; i++) {
      corpus.add("t", "w%d v%d u%d".formatted(i % 90, i % 70, i % 110), 1);
    }
    TermVectors terms = TermVectors.of(corpus.entries);
    int[] order = EvenDraw.orderByKey(corpus.keys);
    NearestLists one = terms.nearest(order, 1);
    NearestLists four = terms.nearest(order, 4);

    for (int entry = 0; entry < 700; entry++) {
      float before = 2;
      for (int place = 0; place < NearestLists.LENGTH; place++) {
        int other = one.neighbour(entry, place);
        assertEquals(other, four.neighbour(entry, place));
        float similarity = terms.similarity(entry, other);
        assertTrue(similarity <= before && similarity > 0 && other != entry);
        before = similarity;
      }
    }
  }
}
