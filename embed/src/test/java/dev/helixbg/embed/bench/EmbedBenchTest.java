package dev.helixbg.embed.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.bench.EmbedBench.Entrant;
import dev.helixbg.embed.bench.EmbedBench.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmbedBenchTest {

  private static final BenchTexts TWO = new BenchTexts("two", List.of("a", "b"));

  @Test
  void wrongVectorsStopTheBenchmark() {
    Entrant right = entrant("right", new float[][] {{1, 0}, {0, 1}});
    for (float[][] wrong :
        new float[][][] {{{1, 0}, {1, 0}}, {{1, 0}, {0, 2}}, {{1, 0}, {0, Float.NaN}}}) {
      List<Entrant> entrants = List.of(right, entrant("wrong", wrong));
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class, () -> EmbedBench.run(entrants, TWO, text -> 1, 1));
      assertTrue(e.getMessage().startsWith("wrong gives a wrong vector for text 1"));
    }
  }

  @Test
  void resultsAreConsistentRates() throws InterruptedException {
    Entrant right = entrant("right", new float[][] {{1, 0}, {0, 1}});
    Result result = EmbedBench.run(List.of(right), TWO, text -> 10, 3).getFirst();
    assertEquals(10, result.tokensPerSecond() / result.textsPerSecond(), 1e-6);
    assertEquals(EmbedBench.flops(10) / 1e9, result.gflops() / result.textsPerSecond(), 1e-9);
  }

  @Test
  void operationsOfATextAreThoseOfItsMatrices() {
    // one token: 6 layers of 4 · 384² + 2 · 384 · 1536 multiply-adds, and 2 · 384 for attention
    assertEquals(6 * 2 * (4.0 * 384 * 384 + 2.0 * 384 * 1536 + 2.0 * 384), EmbedBench.flops(1));
  }

  @Test
  void textsAreTheSameEachTimeAndAsLongAsPromised() {
    List<String> texts = BenchTexts.brief(50, EmbedBenchTest::count).texts();
    assertEquals(texts, BenchTexts.brief(50, EmbedBenchTest::count).texts());
    assertTrue(texts.stream().allMatch(text -> count(text) >= 20 && count(text) <= 40));
    assertTrue(
        BenchTexts.lengthy(5, EmbedBenchTest::count).texts().stream()
            .allMatch(text -> count(text) >= 260));
  }

  @Test
  void shiftOfSimilaritiesIsMeasuredOverAllPairs() {
    float[][] exact = {{1, 0}, {0, 1}, {1, 0}};
    float[][] moved = {{1, 0}, {0.6f, 0.8f}, {1, 0}};
    SimilarityShift shift = SimilarityShift.between(exact, moved);
    assertEquals(3, shift.pairs());
    assertEquals(0.6, shift.largest(), 1e-6);
    assertEquals(0.4, shift.mean(), 1e-6);
  }

  /** Counts tokens as if each word were one token, plus two special tokens. */
  private static int count(String text) {
    return 2 + text.trim().split("\\s+").length;
  }

  private static Entrant entrant(String name, float[][] vectors) {
    return new Entrant(name, texts -> vectors, 0.999);
  }
}
