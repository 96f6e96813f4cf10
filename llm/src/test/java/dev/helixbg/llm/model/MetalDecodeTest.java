package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.generate.ForwardPasses;
import dev.helixbg.llm.generate.Generator;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
class MetalDecodeTest {
  private static final int LAYERS = 28;
  private static final int TOKENS = 20;

  /**
   * Length of a full context: 3 passes for a prompt, 9 parts for attention; with proofs.all, 32
   * parts.
   */
  private static final int FULL = Boolean.getBoolean("proofs.all") ? 2048 : 553;

  @TempDir private static Path folder;

  private MetalTests metal;
  private Backend backend;

  @BeforeEach
  void open() {
    metal = new MetalTests(SoftMetalSettings.FAST);
    backend = new GpuBackend(metal.device(), false);
  }

  @AfterEach
  void close() {
    if (metal != null) {
      backend.close();
      metal.close();
    }
  }

  private static GgufFile model(int layers, int context) throws IOException {
    TinyModel tiny =
        new TinyModel().with("qwen3.block_count", layers).with("qwen3.context_length", context);
    for (int i = 1; i < layers; i++) {
      tiny.layer(i);
    }
    return GgufFile.read(MappedFile.open(tiny.write(folder)));
  }

  private static PassLimits limits(int context) {
    return new PassLimits(context, 256, 1);
  }

  /**
   * Returns the counts of generating {@link #TOKENS} tokens, without those of reading the prompt.
   */
  private Map<Counter, Long> countDecode(int context, int prompt) throws IOException {
    try (GgufFile file = model(LAYERS, context)) {
      Qwen3 model = Qwen3.of(file, backend, limits(context));
      ForwardPasses work = new ForwardPasses(model, limits(context));
      try (KvCache cache = backend.cache(model.cacheShape())) {
        work.read(cache, ids(prompt - 1), false, () -> false);
        BackendCounters counters = backend.counters();
        Map<Counter, Long> before = counters.snapshot();
        GenerationOptions options = new GenerationOptions(TOKENS, Set.of());
        Generator.generate(work, cache, new int[] {7}, options, id -> {}, () -> false);
        Map<Counter, Long> after = counters.snapshot();
        before.forEach((counter, value) -> after.merge(counter, -value, Long::sum));
        after.put(Counter.MOST_IN_FLIGHT, counters.get(Counter.MOST_IN_FLIGHT));
        return after;
      }
    }
  }

  private static int[] ids(int count) {
    int[] ids = new int[count];
    for (int i = 0; i < count; i++) {
      ids[i] = i * 7 % 40;
    }
    return ids;
  }

  @Test
  void aTokenIsOneCommandBufferAndFiveDispatchesPerLayer() throws IOException {
    Map<Counter, Long> counted = countDecode(256, 20);
    assertEquals(TOKENS, counted.get(Counter.PASSES));
    assertEquals(TOKENS, counted.get(Counter.SUBMISSIONS));
    // Embedding, five steps per layer, logits, argmax; each reads what the step before has written.
    assertEquals(TOKENS * (5L * LAYERS + 3), counted.get(Counter.DISPATCHES));
    assertEquals(TOKENS * (5L * LAYERS + 2), counted.get(Counter.BARRIERS));
    assertTrue(counted.getOrDefault(Counter.WAITS, 0L) <= TOKENS, "waits");
    assertEquals(3, counted.get(Counter.MOST_IN_FLIGHT));
    assertTrue(counted.get(Counter.BOUND_BYTES) < TOKENS * 20_000L, "bound bytes");
  }

  /**
   * A lazy device runs nothing until the host waits for it, so reading too early gives wrong
   * tokens.
   */
  @Test
  void anAnswerIsTheSameHoweverLateTheGpuIs() throws IOException {
    try (GgufFile file = model(2, 256)) {
      int[] expected = answer(file, backend);
      metal.configure(SoftMetalSettings.FAST.lazy(true));
      try (Backend late = new GpuBackend(metal.device(), false)) {
        assertArrayEquals(expected, answer(file, late));
        assertEquals(3, late.counters().get(Counter.MOST_IN_FLIGHT));
      }
    }
  }

  private static int[] answer(GgufFile file, Backend backend) {
    Qwen3 model = Qwen3.of(file, backend, limits(256));
    GenerationOptions options = new GenerationOptions(TOKENS, Set.of());
    try (KvCache cache = backend.cache(model.cacheShape())) {
      ForwardPasses work = new ForwardPasses(model, limits(256));
      return Generator.generate(work, cache, ids(20), options, id -> {}, () -> false).tokenIds();
    }
  }

  @Test
  void aLongContextCostsOneMoreDispatchPerLayer() throws IOException {
    Map<Counter, Long> counted = countDecode(2048, 600);
    assertEquals(TOKENS * (6L * LAYERS + 3), counted.get(Counter.DISPATCHES));
    assertEquals(TOKENS * (6L * LAYERS + 2), counted.get(Counter.BARRIERS));
  }

  /**
   * A prompt can then be cancelled between layers, and the device works while a layer is encoded.
   */
  @Test
  void aLongPromptIsHandedOverLayerByLayer() throws IOException {
    metal.configure(SoftMetalSettings.FAST.lazy(true));
    try (GgufFile file = model(2, 2048)) {
      Qwen3 model = Qwen3.of(file, backend, limits(2048));
      ForwardPasses work = new ForwardPasses(model, limits(2048));
      try (KvCache cache = backend.cache(model.cacheShape())) {
        work.read(cache, ids(700), false, () -> false);
        Map<Counter, Long> counted = backend.counters().snapshot();
        backend.submit().await();
        assertEquals(6, counted.get(Counter.SUBMISSIONS));
        assertEquals(3, counted.get(Counter.MOST_IN_FLIGHT));
      }
    }
  }

  @Test
  void aContextIsFilledToItsEnd() throws IOException {
    try (GgufFile file = model(2, FULL);
        Backend cpu = new CpuBackend(1, () -> {})) {
      float[][] expected = lastLogits(file, cpu);
      float[][] actual = lastLogits(file, backend);
      for (int i = 0; i < expected.length; i++) {
        assertArrayEquals(expected[i], actual[i], 1e-4f, "token " + i);
      }
    }
  }

  /** Returns the logits of the last positions of a full context, which are computed one by one. */
  private static float[][] lastLogits(GgufFile file, Backend backend) {
    int single = 12;
    PassLimits limits = limits(FULL);
    Qwen3 model = Qwen3.of(file, backend, limits);
    ForwardPasses work = new ForwardPasses(model, limits);
    float[][] logits = new float[single][model.vocabulary()];
    int[] ids = ids(FULL);
    try (KvCache cache = backend.cache(model.cacheShape())) {
      work.read(cache, Arrays.copyOf(ids, FULL - single), false, () -> false);
      Batch batch = new Batch(1, 1);
      TokenSlots tokens = backend.tokens(1, 1);
      for (int i = 0; i < single; i++) {
        tokens.set(0, 0, ids[FULL - single + i]);
        batch.clear();
        batch.add(cache, 1, 1);
        model.forward(batch, tokens, 0, Qwen3.NEVER);
        backend.submit().await();
        model.logits().read(0, logits[i]);
      }
      assertEquals(FULL, cache.length());
    }
    return logits;
  }
}
