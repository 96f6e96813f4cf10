package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.terms.TermVectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The nearest of each entry. */
class NearestListsTest {
  @Test
  void listsHoldTheNearestWhateverTheNumberOfThreads() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 700; i++) {
      corpus.add("t", "w%d v%d u%d".formatted(i % 90, i % 70, i % 110), 1);
    }
    TermVectors terms = corpus.termVectors();
    int[] owners = IntStream.range(0, 700).toArray();
    int[] order = EvenDraw.orderByKey(corpus.keys);
    NearestLists one = NearestLists.of(terms, owners, order, NearestLists.Counting.ALL, 1);
    NearestLists four = NearestLists.of(terms, owners, order, NearestLists.Counting.ALL, 4);

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
