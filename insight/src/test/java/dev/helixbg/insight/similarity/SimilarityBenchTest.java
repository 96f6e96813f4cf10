package dev.helixbg.insight.similarity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SimilarityBenchTest {

  @Test
  void reportsEachSizeAndNumberOfThreadsAndFindsWhatWasPlanted() {
    SimilarityBench.Report report =
        SimilarityBench.run(new int[] {100, 2_000}, new int[] {1, 2}, 1);
    assertEquals(2, report.peaks().size());
    assertEquals(4, report.results().size());
    for (SimilarityBench.Result result : report.results()) {
      assertTrue(result.nanosPerPair() > 0 && result.pairByPairNanos() > 0);
      assertEquals(768 / result.nanosPerPair(), result.gflops(), 1e-9);
      assertTrue(result.shareOfPeak().getAsDouble() > 0);
    }
    long hits = report.results().getLast().hits();
    assertTrue(hits >= 15 && hits < 100, hits + " hits of 19 planted pairs");
  }

  @Test
  void vectorisedDotProductAgreesWithAPlainOne() {
    for (int dimension : new int[] {1, 15, 16, 63, 64, 65, 384, 385}) {
      Vectors vectors = AllPairsTest.random(2, dimension, dimension);
      double expected = 0;
      for (int k = 0; k < dimension; k++) {
        expected += (double) vectors.values()[k] * vectors.values()[dimension + k];
      }
      float found = VectorLoops.dot(vectors.values(), 0, dimension, dimension);
      assertEquals(expected, found, 1e-5);
    }
  }
}
