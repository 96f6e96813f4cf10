package dev.helixbg.llm.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.bench.LlmBench.Result;
import dev.helixbg.llm.golden.GoldenModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LlmBenchTest {
  /** Names of the rival's rounds, in order. The first round is a warm-up. */
  private final List<String> rounds = new ArrayList<>();

  private double round(String test, int tokens) {
    rounds.add(test + tokens);
    return List.of(1000.0, 30.0, 10.0, 20.0, 50.0).get(rounds.size() - 1);
  }

  @Test
  void theRivalHasARoundForEachOfOursAndItsMedianIsGiven() {
    ModelOptions options = ModelOptions.of(Device.CPU, 2, 64);
    try (TextModel model = ModelOpener.open(GoldenModel.Q4_0.path(), options)) {
      LlmBench bench = new LlmBench(model, 3, 2, () -> false, Optional.of(this::round));
      Result prompt = bench.prompt(7);
      assertEquals(List.of("pp7", "pp7", "pp7", "pp7"), rounds);
      assertEquals("pp7", prompt.test());
      assertEquals(20, prompt.rivalMedian());
      assertTrue(prompt.median() > 0);
      rounds.clear();
      assertEquals(
          25,
          new LlmBench(model, 4, 2, () -> false, Optional.of(this::round))
              .generation(2)
              .rivalMedian());
      Result answers = bench.generation(3, 5);
      assertEquals("tg3x5", answers.test());
      assertEquals(0, answers.rivalMedian());
      assertTrue(answers.median() > 0);
    }
  }

  @Test
  void whatIsCalledOffHasNoRivalsSpeed() {
    ModelOptions options = ModelOptions.of(Device.SCALAR, 1, 8);
    try (TextModel model = ModelOpener.open(GoldenModel.Q4_0.path(), options)) {
      Result result = new LlmBench(model, 3, 1, () -> true, Optional.of(this::round)).generation(1);
      assertEquals(List.of(), rounds);
      assertEquals(0, result.rivalMedian());
    }
  }
}
