package dev.helixbg.embed.bench;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.embed.bench.EmbedBench.Entrant;
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

  private static Entrant entrant(String name, float[][] vectors) {
    return new Entrant(name, texts -> vectors, 0.999);
  }
}
