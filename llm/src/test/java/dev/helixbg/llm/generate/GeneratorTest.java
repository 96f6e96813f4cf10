package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.InterceptedBackend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvCache.ContextFullException;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class GeneratorTest {
  private static final GoldenCase CASE =
      GoldenModel.Q8_0.cases().stream()
          .filter(c -> c.task().equals("summary"))
          .findFirst()
          .orElseThrow();
  private static final int[] ANSWER = Arrays.copyOf(CASE.greedyIds(), CASE.greedyIds().length - 1);
  private static final PassLimits LIMITS = new PassLimits(256, 256, 1);

  @AutoClose private final GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q8_0.path()));
  @AutoClose private final Backend backend = new CpuBackend(1, () -> {});

  private static Generation answer(
      Qwen3 model, PassLimits limits, int maxTokens, Integer... stops) {
    GenerationOptions options = new GenerationOptions(maxTokens, Set.of(stops));
    try (KvCache cache = model.backend().cache(model.cacheShape())) {
      ForwardPasses work = new ForwardPasses(model, limits);
      Generation answer =
          Generator.generate(work, cache, CASE.promptIds(), options, id -> {}, () -> false);
      int held = CASE.promptIds().length + answer.tokenIds().length;
      assertTrue(cache.length() == held || cache.length() == held - 1, "cache " + cache.length());
      return answer;
    }
  }

  @Test
  void theAnswerEndsBeforeItsStopToken() {
    Generation answer = answer(Qwen3.of(file, backend, LIMITS), LIMITS, 64, GoldenModel.END);
    assertArrayEquals(ANSWER, answer.tokenIds());
    assertEquals(StopReason.STOP_TOKEN, answer.stopReason());
    assertEquals(GoldenModel.END, answer.stopToken());
    assertEquals(CASE.promptIds().length, answer.promptTokens());
  }

  @Test
  void theAnswerEndsAfterAsManyTokensAsWereAskedFor() {
    Generation answer = answer(Qwen3.of(file, backend, LIMITS), LIMITS, 3, GoldenModel.END);
    assertArrayEquals(Arrays.copyOf(ANSWER, 3), answer.tokenIds());
    assertEquals(StopReason.LENGTH, answer.stopReason());
  }

  @Test
  void theAnswerEndsWhereTheContextIsFull() {
    PassLimits tight = new PassLimits(CASE.promptIds().length + 2, 256, 1);
    Generation answer = answer(Qwen3.of(file, backend, tight), tight, 64, GoldenModel.END);
    // Two tokens fit into the context; the third is chosen, but cannot be read.
    assertArrayEquals(Arrays.copyOf(ANSWER, 3), answer.tokenIds());
    assertEquals(StopReason.CONTEXT_FULL, answer.stopReason());
  }

  @Test
  void aPromptThatDoesNotFitIsRefusedBeforeAnyOfItIsRead() {
    PassLimits tight = new PassLimits(CASE.promptIds().length - 1, 16, 16);
    Qwen3 model = Qwen3.of(file, backend, tight);
    ForwardPasses work = new ForwardPasses(model, tight);
    List<int[]> prompt = List.of(CASE.promptIds());
    List<int[]> fits = List.of(Arrays.copyOf(CASE.promptIds(), CASE.promptIds().length - 2));
    List<int[]> choices = List.of(new int[] {5, 6, 7}, new int[] {5, 6, 8});
    GenerationOptions one = new GenerationOptions(1, Set.of());
    try (KvCache cache = backend.cache(model.cacheShape())) {
      for (Executable tooLong :
          List.<Executable>of(
              () -> work.read(cache, CASE.promptIds(), true, () -> false),
              () -> Generator.generate(work, cache, prompt.getFirst(), one, id -> {}, () -> false),
              () -> Generator.generateAll(work, cache, prompt, one, () -> false),
              () -> new ChoiceScorer(work).score(cache, prompt, choices, () -> false),
              () -> new ChoiceScorer(work).score(cache, fits, choices, () -> false))) {
        assertThrows(ContextFullException.class, tooLong);
        assertEquals(0, cache.length());
      }
    }
    assertEquals(0, backend.counters().get(Counter.ROWS), "rows that were computed in vain");
  }

  @Test
  void aListenerThatThrowsLeavesNothingUnderWay() {
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger heard = new AtomicInteger();
    Qwen3 model = Qwen3.of(file, threeDeep(backend, underWay), LIMITS);
    ForwardPasses work = new ForwardPasses(model, LIMITS);
    GenerationOptions options = new GenerationOptions(64, Set.of());
    try (KvCache cache = backend.cache(model.cacheShape())) {
      assertThrows(
          IllegalStateException.class,
          () ->
              Generator.generate(
                  work,
                  cache,
                  CASE.promptIds(),
                  options,
                  id -> {
                    if (heard.incrementAndGet() == 2) {
                      throw new IllegalStateException("no more");
                    }
                  },
                  () -> false));
      assertEquals(0, underWay.get(), "passes under way");
      assertEquals(CASE.promptIds().length + 2, cache.length(), "prompt and tokens, read again");
    }
  }

  @Test
  void anUnknownTokenIdIsRefused() {
    Qwen3 model = Qwen3.of(file, backend, LIMITS);
    ForwardPasses work = new ForwardPasses(model, LIMITS);
    GenerationOptions options = new GenerationOptions(1, Set.of());
    for (int id : new int[] {-1, 1344, Integer.MAX_VALUE}) {
      KvCache cache = backend.cache(model.cacheShape());
      assertThrows(
          IllegalArgumentException.class,
          () -> Generator.generate(work, cache, new int[] {1, id}, options, i -> {}, () -> false));
      assertEquals(0, cache.length());
    }
  }

  @Test
  void cancellingBetweenPartsOfThePromptLeavesTheSequenceAsItWas() {
    PassLimits small = new PassLimits(256, 16, 1);
    Qwen3 model = Qwen3.of(file, backend, small);
    ForwardPasses work = new ForwardPasses(model, small);
    KvCache cache = backend.cache(model.cacheShape());
    AtomicInteger asked = new AtomicInteger();
    Generation answer =
        Generator.generate(
            work,
            cache,
            CASE.promptIds(),
            new GenerationOptions(5, Set.of()),
            id -> {},
            () -> asked.incrementAndGet() > 2);
    assertEquals(StopReason.CANCELLED, answer.stopReason());
    assertEquals(0, answer.tokenIds().length);
    assertEquals(0, cache.length());
  }

  @Test
  void cancellingWhileAnsweringKeepsTheTokensSoFar() {
    Qwen3 model = Qwen3.of(file, backend, LIMITS);
    ForwardPasses work = new ForwardPasses(model, LIMITS);
    List<Integer> heard = new ArrayList<>();
    Generation answer =
        Generator.generate(
            work,
            backend.cache(model.cacheShape()),
            CASE.promptIds(),
            new GenerationOptions(64, Set.of()),
            heard::add,
            () -> heard.size() == 2);
    assertEquals(StopReason.CANCELLED, answer.stopReason());
    assertArrayEquals(Arrays.copyOf(ANSWER, 2), answer.tokenIds());
    assertArrayEquals(answer.tokenIds(), heard.stream().mapToInt(i -> i).toArray());
  }

  @Test
  void aDeviceThatWorksAheadGivesTheSameAnswers() {
    for (int maxTokens : new int[] {1, 2, 3, 5, 64}) {
      Generation plain =
          answer(Qwen3.of(file, backend, LIMITS), LIMITS, maxTokens, GoldenModel.END);
      Qwen3 deep = Qwen3.of(file, threeDeep(backend, new AtomicInteger()), LIMITS);
      Generation ahead = answer(deep, LIMITS, maxTokens, GoldenModel.END);
      assertArrayEquals(plain.tokenIds(), ahead.tokenIds());
      assertEquals(plain.stopReason(), ahead.stopReason());
    }
  }

  /**
   * Returns the same backend with depth 3, which checks that at most three submissions are in
   * flight.
   */
  private static Backend threeDeep(Backend backend, AtomicInteger underWay) {
    return InterceptedBackend.of(
        backend,
        (method, arguments, usual) ->
            switch (method) {
              case "depth" -> 3;
              case "submit" -> {
                usual.call();
                assertTrue(underWay.incrementAndGet() <= 3, "under way: " + underWay);
                yield (Submission) underWay::decrementAndGet;
              }
              default -> usual.call();
            });
  }
}
