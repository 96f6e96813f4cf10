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

  /** More than the eight that grow together. */
  private final List<GoldenCase> cases =
      GoldenModel.Q4_K_M.cases().stream()
          .filter(c -> c.task().equals("summary"))
          .limit(10)
          .toList();

  private List<Generation> generate(KvCache shared, List<int[]> prompts, int maxTokens) {
    return Generator.generateAll(
        work,
        shared,
        prompts,
        new GenerationOptions(maxTokens, Set.of(GoldenModel.END)),
        () -> false);
  }

  private List<int[]> prompts() {
    return cases.stream().map(GoldenCase::promptIds).toList();
  }

  @Test
  void allAnswersAreTheGoldenOnes() {
    List<Generation> answers = generate(empty, prompts(), 64);
    for (int i = 0; i < cases.size(); i++) {
      int[] greedy = cases.get(i).greedyIds();
      assertArrayEquals(Arrays.copyOf(greedy, greedy.length - 1), answers.get(i).tokenIds());
      assertEquals(StopReason.STOP_TOKEN, answers.get(i).stopReason());
    }
    assertEquals(0, empty.length());
  }

  @Test
  void answersThatGrowTogetherSharePasses() {
    long before = backend.counters().get(Counter.PASSES);
    generate(empty, prompts().subList(0, 4), 64);
    long together = backend.counters().get(Counter.PASSES) - before;
    before = backend.counters().get(Counter.PASSES);
    prompts().subList(0, 4).forEach(prompt -> generate(empty, List.of(prompt), 64));
    long apart = backend.counters().get(Counter.PASSES) - before;
    assertTrue(together * 2 < apart, together + " passes together, " + apart + " apart");
  }

  /** Filled up to eight rows, two answers would take as long as eight. */
  @Test
  void aFewAnswersAreNotFilledUpOnTheCpu() {
    List<int[]> prompts = prompts().subList(0, 3);
    generate(empty, prompts, 1);
    long before = backend.counters().get(Counter.ROWS);
    generate(empty, prompts, 1);
    long reading = backend.counters().get(Counter.ROWS) - before;
    generate(empty, prompts, 3);
    assertEquals(before + 2 * reading + 3 * 2, backend.counters().get(Counter.ROWS));
  }

  @Test
  void anOpeningReadOnceAndAPromptOfManyPassesGiveTheSame() {
    int shared = 15;
    int[] opening = Arrays.copyOf(prompts().getFirst(), shared);
    work.read(empty, opening, false, () -> false);
    List<int[]> rests =
        prompts().stream().limit(2).map(p -> Arrays.copyOfRange(p, shared, p.length)).toList();
    int[] greedy = cases.get(1).greedyIds();
    assertArrayEquals(
        Arrays.copyOf(greedy, greedy.length - 1), generate(empty, rests, 64).get(1).tokenIds());

    PassLimits small = new PassLimits(512, 24, 8);
    Qwen3 narrow = Qwen3.of(file, backend, small);
    List<Generation> answers =
        Generator.generateAll(
            new ForwardPasses(narrow, small),
            backend.cache(narrow.cacheShape()),
            prompts().subList(0, 2),
            new GenerationOptions(64, Set.of(GoldenModel.END)),
            () -> false);
    assertArrayEquals(Arrays.copyOf(greedy, greedy.length - 1), answers.get(1).tokenIds());
  }

  @Test
  void anAnswerEndsAtItsLengthOrWhereTheContextIsFull() {
    Generation cut = generate(empty, prompts(), 3).getFirst();
    assertArrayEquals(Arrays.copyOf(cases.getFirst().greedyIds(), 3), cut.tokenIds());
    assertEquals(StopReason.LENGTH, cut.stopReason());

    int[] prompt = prompts().getFirst();
    PassLimits tight = new PassLimits(prompt.length + 2, 200, 8);
    Qwen3 full = Qwen3.of(file, backend, tight);
    Generation ended =
        Generator.generateAll(
                new ForwardPasses(full, tight),
                backend.cache(full.cacheShape()),
                List.of(prompt),
                new GenerationOptions(64, Set.of(GoldenModel.END)),
                () -> false)
            .getFirst();
    assertEquals(StopReason.CONTEXT_FULL, ended.stopReason());
    assertArrayEquals(Arrays.copyOf(cases.getFirst().greedyIds(), 3), ended.tokenIds());
  }

  /** Answers move to the first rows as others end; the second backend wants passes ahead. */
  @Test
  void moreThanFillAPassAndPassesAheadGiveTheSame() {
    PassLimits limits = new PassLimits(512, 200, 10);
    Backend ahead =
        InterceptedBackend.of(
            backend, (method, arguments, usual) -> method.equals("depth") ? 3 : usual.call());
    for (Backend some : List.of(backend, ahead)) {
      Qwen3 wide = Qwen3.of(file, some, limits);
      List<Generation> answers =
          Generator.generateAll(
              new ForwardPasses(wide, limits),
              some.cache(wide.cacheShape()),
              prompts(),
              new GenerationOptions(64, Set.of(GoldenModel.END)),
              () -> false);
      for (int i = 0; i < cases.size(); i++) {
        int[] greedy = cases.get(i).greedyIds();
        assertArrayEquals(Arrays.copyOf(greedy, greedy.length - 1), answers.get(i).tokenIds());
      }
      assertEquals(
          StopReason.LENGTH,
          Generator.generateAll(
                  new ForwardPasses(wide, limits),
                  some.cache(wide.cacheShape()),
                  prompts(),
                  new GenerationOptions(2, Set.of()),
                  () -> false)
              .getLast()
              .stopReason());
    }
  }

  @Test
  void cancellingAndEmptyPromptsAreErrors() {
    assertThrows(
        CancellationException.class,
        () ->
            Generator.generateAll(
                work, empty, prompts(), new GenerationOptions(64, Set.of()), () -> true));
    assertThrows(IllegalArgumentException.class, () -> generate(empty, List.of(new int[0]), 64));
    assertThrows(IllegalArgumentException.class, () -> generate(empty, prompts(), 0));
  }
}
