package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ChoiceScorerTest {
  private static final PassLimits LIMITS = new PassLimits(512, 200, 16);
  private static final double ROUNDING = 1e-4;

  /** A model of floats. With quantised weights, activations are rounded in large passes only. */
  @AutoClose private final GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.F16.path()));

  @AutoClose private final Backend backend = new CpuBackend(1, () -> {});
  private final Qwen3 model = Qwen3.of(file, backend, LIMITS);
  private final ForwardPasses work = new ForwardPasses(model, LIMITS);
  private final ChoiceScorer scorer = new ChoiceScorer(work);
  private final KvCache empty = backend.cache(model.cacheShape());

  private final List<int[]> prompts =
      GoldenModel.Q8_0.cases().stream()
          .filter(c -> c.task().equals("summary"))
          .limit(3)
          .map(GoldenCase::promptIds)
          .toList();

  private double[][] score(List<int[]> choices) {
    return scorer.score(empty, prompts, choices, () -> false);
  }

  /**
   * Returns the expected probabilities at a branch point: those of {@code tokens} without others.
   */
  private double[] shares(int[] prompt, int... tokens) {
    float[] logits = new float[model.vocabulary()];
    try (KvCache cache = backend.cache(model.cacheShape())) {
      work.read(cache, prompt, true, () -> false);
      model.logits().read(0, logits);
    }
    double[] weights = Arrays.stream(tokens).mapToDouble(id -> Math.exp(logits[id])).toArray();
    double sum = Arrays.stream(weights).sum();
    return Arrays.stream(weights).map(weight -> weight / sum).toArray();
  }

  /** Compares batches of one, three and sixteen prompts, with half-precision keys and values. */
  @Test
  void sharesAreTheSameInEveryBatch() {
    List<int[]> sixteen =
        GoldenModel.Q4_K_M.cases().stream()
            .filter(c -> c.task().equals("label"))
            .limit(16)
            .map(GoldenCase::promptIds)
            .toList();
    PassLimits large = new PassLimits(512, 512, 64);
    try (GgufFile quantised = GgufFile.read(MappedFile.open(GoldenModel.Q8_0.path()))) {
      Qwen3 other = Qwen3.of(quantised, backend, large);
      ChoiceScorer wide = new ChoiceScorer(new ForwardPasses(other, large));
      KvCache nothing = backend.cache(other.cacheShape());
      double[][] together = wide.score(nothing, sixteen, PARTING_LATE, () -> false);
      for (int i = 0; i < sixteen.size(); i++) {
        List<int[]> one = sixteen.subList(i, i + 1);
        double[][] alone = wide.score(nothing, one, PARTING_LATE, () -> false);
        assertArrayEquals(together[i], alone[0], "prompt " + i);
      }
      double[][] three = wide.score(nothing, sixteen.subList(4, 7), PARTING_LATE, () -> false);
      assertArrayEquals(together[5], three[1]);
    }
  }

  @Test
  void choicesThatPartAtOnceShareByTheirFirstTokenInOnePass() {
    List<int[]> choices =
        List.of(new int[] {420, 7, 8}, new int[] {1158}, new int[] {758, 9, 1, 2, 3});
    long before = backend.counters().get(Counter.PASSES);
    double[][] shares = score(choices);
    assertEquals(1, backend.counters().get(Counter.PASSES) - before);
    for (int i = 0; i < prompts.size(); i++) {
      assertArrayEquals(shares(prompts.get(i), 420, 1158, 758), shares[i], ROUNDING);
    }
  }

  @Test
  void choicesThatPartLaterShareWhereTheyPart() {
    List<int[]> choices =
        List.of(
            new int[] {420, 663, 426},
            new int[] {420, 663, 9},
            new int[] {420, 11},
            new int[] {302, 5});
    double[][] shares = score(choices);
    for (int i = 0; i < prompts.size(); i++) {
      double[] first = shares(prompts.get(i), 420, 302);
      double[] second = shares(with(prompts.get(i), 420), 663, 11);
      double[] third = shares(with(prompts.get(i), 420, 663), 426, 9);
      double[] expected = {
        first[0] * second[0] * third[0],
        first[0] * second[0] * third[1],
        first[0] * second[1],
        first[1]
      };
      assertArrayEquals(expected, shares[i], ROUNDING);
      assertEquals(1, DoubleStream.of(shares[i]).sum(), 1e-9);
    }
  }

  private static final List<int[]> PARTING_LATE =
      List.of(new int[] {420, 663, 426}, new int[] {420, 663, 9}, new int[] {302, 5});

  /**
   * With enough room, one pass reads prompts and choices; otherwise, later passes read the choices.
   */
  @Test
  void waysToForksAreReadWithThePromptsOrAfterThemWithTheSameResult() {
    long before = backend.counters().get(Counter.PASSES);
    double[][] together = score(PARTING_LATE);
    assertEquals(1, backend.counters().get(Counter.PASSES) - before);
    int longest = prompts.stream().mapToInt(prompt -> prompt.length).max().orElseThrow();
    for (int rows : new int[] {longest + 8, 32}) {
      for (int wanted : new int[] {8, 9, 16}) {
        PassLimits narrow = new PassLimits(512, rows, wanted);
        ForwardPasses narrowWork = new ForwardPasses(Qwen3.of(file, backend, narrow), narrow);
        double[][] apart =
            new ChoiceScorer(narrowWork).score(empty, prompts, PARTING_LATE, () -> false);
        for (int i = 0; i < prompts.size(); i++) {
          assertArrayEquals(together[i], apart[i], rows + " rows, " + wanted);
        }
      }
    }
  }

  private static int[] with(int[] prompt, int... more) {
    int[] all = Arrays.copyOf(prompt, prompt.length + more.length);
    System.arraycopy(more, 0, all, prompt.length, more.length);
    return all;
  }

  @Test
  void aSingleChoiceIsCertainAndImpossibleOnesAreErrors() {
    assertArrayEquals(new double[] {1}, score(List.of(new int[] {5, 6}))[0]);
    assertThrows(
        IllegalArgumentException.class, () -> score(List.of(new int[] {5}, new int[] {5, 6})));
    assertThrows(
        IllegalArgumentException.class, () -> score(List.of(new int[] {5}, new int[] {5})));
    assertThrows(IllegalArgumentException.class, () -> score(List.of(new int[0])));
    assertThrows(
        CancellationException.class,
        () -> scorer.score(empty, prompts, List.of(new int[] {5}, new int[] {6}), () -> true));
    assertEquals(0, empty.length());
  }
}
