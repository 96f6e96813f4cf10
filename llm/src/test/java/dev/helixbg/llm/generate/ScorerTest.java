package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.PassLimits;
import dev.helixbg.llm.model.Qwen3;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScorerTest {
  /** Natural logarithms; sums taken in another order differ by less. */
  private static final double ROUNDING = 1e-4;

  /** The same with keys and values of 11 bits; scores here go down to -20. */
  private static final double HALF_PRECISION = 2e-3;

  private static final PassLimits LIMITS = new PassLimits(512, 200, 8, Storage.F32);

  private final GgufFile file = GgufFile.open(GoldenModel.Q8_0.path());
  private final Backend backend = new CpuBackend(1);
  private final Qwen3 model = Qwen3.of(file, backend, LIMITS);
  private final Workspace work = new Workspace(model, LIMITS);
  private final Scorer scorer = new Scorer(work);
  private final KvCache empty = backend.cache(model.cacheShape());

  private final List<GoldenCase> labels =
      GoldenModel.Q8_0.cases().stream().filter(c -> c.task().equals("label")).limit(3).toList();

  @AfterEach
  void close() {
    backend.close();
    file.close();
  }

  /** Three labels of different lengths, with the token that ends the answer. */
  private List<int[]> answers() {
    return labels.stream().map(GoldenCase::greedyIds).toList();
  }

  private List<int[]> prompts() {
    return labels.stream().map(GoldenCase::promptIds).toList();
  }

  @Test
  void theGreedyAnswerIsTheLikeliest() {
    double[][] scores = scorer.score(empty, prompts(), answers(), () -> false);
    for (int i = 0; i < scores.length; i++) {
      double best = Arrays.stream(scores[i]).max().orElseThrow();
      assertEquals(best, scores[i][i], Arrays.toString(scores[i]));
      assertTrue(best <= 0 && best > Math.log(0.3), "log-probability " + best);
    }
  }

  @Test
  void scoresAreSumsOfLogProbabilitiesTokenByToken() {
    int[] prompt = prompts().getFirst();
    int[] answer = answers().get(1);
    double expected = 0;
    try (KvCache cache = backend.cache(model.cacheShape())) {
      work.read(cache, prompt, true, () -> false);
      for (int id : answer) {
        expected += logSoftmax(id);
        work.read(cache, new int[] {id}, true, () -> false);
      }
    }
    double score = scorer.score(empty, List.of(prompt), List.of(answer), () -> false)[0][0];
    assertEquals(expected, score, ROUNDING);
  }

  private double logSoftmax(int id) {
    float[] logits = new float[model.vocabulary()];
    model.logits().read(0, logits);
    double sum = 0;
    for (float logit : logits) {
      sum += Math.exp(logit);
    }
    return logits[id] - Math.log(sum);
  }

  @Test
  void scoresDoNotDependOnWhatIsScoredBesideThem() {
    double[][] together = scorer.score(empty, prompts(), answers(), () -> false);
    for (int i = 0; i < together.length; i++) {
      for (int j = 0; j < together[i].length; j++) {
        double[][] alone =
            scorer.score(empty, List.of(prompts().get(i)), List.of(answers().get(j)), () -> false);
        assertEquals(alone[0][0], together[i][j], ROUNDING);
      }
    }
  }

  /**
   * One prompt, three, and sixteen. The same way through the backend is taken in each; what is left
   * is that the Vector API may add lanes in another order once a kernel is compiled, and that a
   * half-precision cache then rounds the other way.
   */
  @Test
  void scoresAndChoicesAreTheSameInEveryBatch() {
    List<int[]> sixteen =
        GoldenModel.Q4_K_M.cases().stream()
            .filter(c -> c.task().equals("label"))
            .limit(16)
            .map(GoldenCase::promptIds)
            .toList();
    PassLimits large = new PassLimits(512, 512, 64, Storage.F16);
    Qwen3 other = Qwen3.of(file, backend, large);
    Scorer wide = new Scorer(new Workspace(other, large));
    KvCache nothing = backend.cache(other.cacheShape());
    double[][] together = wide.score(nothing, sixteen, answers(), () -> false);
    for (int i = 0; i < sixteen.size(); i++) {
      double[][] alone = wide.score(nothing, sixteen.subList(i, i + 1), answers(), () -> false);
      assertArrayEquals(alone[0], together[i], HALF_PRECISION);
      assertEquals(best(alone[0]), best(together[i]));
    }
    double[][] three = wide.score(nothing, sixteen.subList(4, 7), answers(), () -> false);
    assertArrayEquals(together[5], three[1], HALF_PRECISION);
  }

  private static int best(double[] scores) {
    int best = 0;
    for (int i = 1; i < scores.length; i++) {
      best = scores[i] > scores[best] ? i : best;
    }
    return best;
  }

  @Test
  void aSharedOpeningReadOnceGivesTheSameScores() {
    int shared = 40;
    List<int[]> prompts = prompts();
    int[] opening = Arrays.copyOf(prompts.getFirst(), shared);
    for (int[] prompt : prompts) {
      assertArrayEquals(opening, Arrays.copyOf(prompt, shared));
    }
    List<int[]> rests = prompts.stream().map(p -> Arrays.copyOfRange(p, shared, p.length)).toList();
    work.read(empty, opening, false, () -> false);
    double[][] scores = scorer.score(empty, rests, answers(), () -> false);
    assertEquals(shared, empty.length());
    try (KvCache fresh = backend.cache(model.cacheShape())) {
      double[][] expected = scorer.score(fresh, prompts, answers(), () -> false);
      for (int i = 0; i < scores.length; i++) {
        assertArrayEquals(expected[i], scores[i], ROUNDING);
      }
    }
  }

  @Test
  void cancellingAndImpossibleContinuationsAreErrors() {
    assertThrows(
        CancellationException.class, () -> scorer.score(empty, prompts(), answers(), () -> true));
    assertThrows(
        IllegalArgumentException.class,
        () -> scorer.score(empty, prompts(), List.of(new int[0]), () -> false));
    assertThrows(
        IllegalArgumentException.class,
        () -> scorer.score(empty, prompts(), List.of(new int[20]), () -> false));
    assertEquals(0, empty.length());
  }
}
