package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.InterceptedBackend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class GroupGeneratorTest {
  private static final PassLimits LIMITS = new PassLimits(512, 200, 8);

  @AutoClose
  private final GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_K_M.path()));

  @AutoClose private final Backend backend = new CpuBackend(1, () -> {});
  private final Qwen3 model = Qwen3.of(file, backend, LIMITS);
  private final ForwardPasses work = new ForwardPasses(model, LIMITS);
  private final KvCache empty = backend.cache(model.cacheShape());

  /** More cases than the eight answers that are generated together. */
  private final List<GoldenCase> cases =
      GoldenModel.Q4_K_M.cases().stream()
          .filter(c -> c.task().equals("summary"))
          .limit(10)
          .toList();

  private final List<int[]> prompts = cases.stream().map(GoldenCase::promptIds).toList();

  private List<Generation> generate(List<int[]> prompts, int maxTokens) {
    return generate(work, empty, prompts, maxTokens);
  }

  private static List<Generation> generate(
      ForwardPasses work, KvCache shared, List<int[]> prompts, int maxTokens) {
    GenerationOptions options = new GenerationOptions(maxTokens, Set.of(GoldenModel.END));
    return Generator.generateAll(work, shared, prompts, options, () -> false);
  }

  private List<Generation> generate(
      PassLimits limits, Backend backend, List<int[]> prompts, int maxTokens) {
    Qwen3 other = Qwen3.of(file, backend, limits);
    KvCache cache = backend.cache(other.cacheShape());
    return generate(new ForwardPasses(other, limits), cache, prompts, maxTokens);
  }

  private void assertGolden(int number, Generation answer) {
    int[] greedy = cases.get(number).greedyIds();
    assertArrayEquals(Arrays.copyOf(greedy, greedy.length - 1), answer.tokenIds());
    assertEquals(StopReason.STOP_TOKEN, answer.stopReason());
  }

  private void assertAllGolden(List<Generation> answers) {
    for (int i = 0; i < cases.size(); i++) {
      assertGolden(i, answers.get(i));
    }
  }

  @Test
  void allAnswersAreTheGoldenOnes() {
    assertAllGolden(generate(prompts, 64));
    assertEquals(0, empty.length());
  }

  @Test
  void answersThatGrowTogetherSharePasses() {
    long before = backend.counters().get(Counter.PASSES);
    generate(prompts.subList(0, 4), 64);
    long together = backend.counters().get(Counter.PASSES) - before;
    before = backend.counters().get(Counter.PASSES);
    prompts.subList(0, 4).forEach(prompt -> generate(List.of(prompt), 64));
    long apart = backend.counters().get(Counter.PASSES) - before;
    assertTrue(together * 2 < apart, together + " passes together, " + apart + " apart");
  }

  /** With filler rows up to eight rows, two answers would take as long as eight answers. */
  @Test
  void aFewAnswersAreNotFilledUpOnTheCpu() {
    List<int[]> few = prompts.subList(0, 3);
    generate(few, 1);
    long before = backend.counters().get(Counter.ROWS);
    generate(few, 1);
    long reading = backend.counters().get(Counter.ROWS) - before;
    generate(few, 3);
    assertEquals(before + 2 * reading + 3 * 2, backend.counters().get(Counter.ROWS));
  }

  @Test
  void anOpeningReadOnceAndAPromptOfManyPassesGiveTheSame() {
    int shared = 15;
    int[] opening = Arrays.copyOf(prompts.getFirst(), shared);
    work.read(empty, opening, false, () -> false);
    List<int[]> rests =
        prompts.stream().limit(2).map(p -> Arrays.copyOfRange(p, shared, p.length)).toList();
    assertGolden(1, generate(rests, 64).get(1));
    PassLimits small = new PassLimits(512, 24, 8);
    assertGolden(1, generate(small, backend, prompts.subList(0, 2), 64).get(1));
  }

  @Test
  void anAnswerEndsAtItsLengthOrWhereTheContextIsFull() {
    int[] three = Arrays.copyOf(cases.getFirst().greedyIds(), 3);
    Generation cut = generate(prompts, 3).getFirst();
    assertArrayEquals(three, cut.tokenIds());
    assertEquals(StopReason.LENGTH, cut.stopReason());
    PassLimits tight = new PassLimits(prompts.getFirst().length + 2, 200, 8);
    Generation ended = generate(tight, backend, prompts.subList(0, 1), 64).getFirst();
    assertArrayEquals(three, ended.tokenIds());
    assertEquals(StopReason.CONTEXT_FULL, ended.stopReason());
  }

  /**
   * Answers move to the first rows when others end. The second backend has several passes in
   * flight.
   */
  @Test
  void moreThanFillAPassAndPassesAheadGiveTheSame() {
    PassLimits limits = new PassLimits(512, 200, 10);
    Backend ahead =
        InterceptedBackend.of(
            backend, (method, arguments, usual) -> method.equals("depth") ? 3 : usual.call());
    for (Backend some : List.of(backend, ahead)) {
      assertAllGolden(generate(limits, some, prompts, 64));
      assertEquals(StopReason.LENGTH, generate(limits, some, prompts, 2).getLast().stopReason());
    }
  }

  @Test
  void cancellingAndEmptyPromptsAreErrors() {
    assertThrows(
        CancellationException.class,
        () ->
            Generator.generateAll(
                work, empty, prompts, new GenerationOptions(64, Set.of()), () -> true));
    assertThrows(IllegalArgumentException.class, () -> generate(List.of(new int[0]), 64));
    assertThrows(IllegalArgumentException.class, () -> generate(prompts, 0));
  }
}
