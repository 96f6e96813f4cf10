package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.terms.TermVectors;
import org.junit.jupiter.api.Test;

/** Tests the lists of the nearest neighbours of each entry. */
class NearestNeighboursTest {
  @Test
  void listsHoldTheNearestWhateverTheNumberOfThreads() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 700; i++) {
      corpus.add("t", "w%d v%d u%d".formatted(i % 90, i % 70, i % 110), 1);
    }
    TermVectors terms = corpus.termVectors();
    ComparedVectors texts =
        ComparedVectors.of(corpus.vectors(), PassageVectors.NONE, ComparedVectors.MAX_PASSAGES);
    int[] order = Analysis.orderByKey(corpus.keys);
    NearestNeighbours one = NearestNeighbours.Both.of(terms, texts, order, 1).all();
    NearestNeighbours four = NearestNeighbours.Both.of(terms, texts, order, 4).all();

    for (int entry = 0; entry < 700; entry++) {
      float before = 2;
      for (int place = 0; place < NearestNeighbours.LENGTH; place++) {
        int other = one.neighbour(entry, place);
        assertEquals(other, four.neighbour(entry, place));
        float similarity = terms.similarity(entry, other);
        assertTrue(similarity <= before && similarity > 0 && other != entry);
        before = similarity;
      }
    }
  }
}
