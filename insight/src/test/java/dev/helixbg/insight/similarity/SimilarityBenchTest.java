package dev.helixbg.insight.similarity;

import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SimilarityBenchTest {

  @Test
  void aWrongSimilarityStopsTheBenchmark() {
    Vectors vectors = SimilarityBench.planted(1_000);
    try (PackedVectors right = PackedVectors.pack(vectors);
        PackedVectors others = PackedVectors.pack(SimilarityBench.planted(999))) {
      SimilarityBench.check(vectors, right);
      assertThrows(IllegalStateException.class, () -> SimilarityBench.check(vectors, others));
    }
  }
}
