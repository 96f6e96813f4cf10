package dev.helixbg.llm.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

class CancellationTest {
  private static final GoldenModel GOLDEN = GoldenModel.Q4_K_M;
  private static final PassLimits LIMITS = new PassLimits(512, 256, 4);
  private static final int ROWS = 150;

  @Test
  void onTheCpu() {
    try (Backend backend = new CpuBackend(2, () -> {})) {
      passesEndAnywhere(backend, false);
    }
  }

  @Test
  @ResourceLock("softmetal")
  void onAGpuThatWorksLaterThanItIsTold() {
    try (MetalTests metal = new MetalTests(SoftMetalSettings.FAST.lazy(true));
        Backend backend = new GpuBackend(metal.device(), false)) {
      passesEndAnywhere(backend, true);
    }
  }

  private static void passesEndAnywhere(Backend backend, boolean device) {
    try (GgufFile file = GgufFile.read(MappedFile.open(GOLDEN.path()))) {
      Qwen3 model = Qwen3.of(file, backend, LIMITS);
      ForwardPasses work = new ForwardPasses(model, LIMITS);
      int[] prompt = new int[ROWS];
      for (int i = 0; i < ROWS; i++) {
        prompt[i] = 300 + i;
      }
      AtomicInteger asked = new AtomicInteger();
      KvCache cache = backend.cache(model.cacheShape());
      work.read(cache, prompt, false, () -> asked.incrementAndGet() < 0);
      int most = asked.get();
      // In the last layer, such a pass computes only keys and values.
      assertTrue(most >= 3 * (model.config().layers() - 1), "asked " + most + " times in a pass");
      if (device) {
        long submissions = backend.counters().get(Counter.SUBMISSIONS);
        assertTrue(submissions >= model.config().layers(), "one piece cannot be called off");
      }
      cache.truncate(0);
      int[] expected = answer(model, work, cache);
      int[] stops = device ? new int[] {2, most / 2} : new int[] {1, 2, most / 2, most};
      for (int last : stops) {
        cache.truncate(0);
        AtomicInteger left = new AtomicInteger(last);
        assertThrows(
            CancellationException.class,
            () -> work.read(cache, prompt, false, () -> left.decrementAndGet() <= 0));
        assertEquals(0, left.get(), "it ended when it was told");
        assertEquals(0, cache.length());
        assertThrows(
            CancellationException.class,
            () -> {
              AtomicInteger more = new AtomicInteger(last);
              new ChoiceScorer(work)
                  .score(
                      cache,
                      List.of(prompt),
                      List.of(new int[] {5}, new int[] {6}),
                      () -> more.decrementAndGet() <= 0);
            });
        assertArrayEquals(expected, answer(model, work, cache));
      }
    }
  }

  private static int[] answer(Qwen3 model, ForwardPasses work, KvCache cache) {
    return Generator.generate(
            work,
            cache,
            GOLDEN.cases().getFirst().promptIds(),
            new GenerationOptions(6, Set.of()),
            id -> {},
            () -> false)
        .tokenIds();
  }
}
