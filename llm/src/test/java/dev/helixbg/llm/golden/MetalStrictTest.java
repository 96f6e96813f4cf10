package dev.helixbg.llm.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.generate.ForwardPasses;
import dev.helixbg.llm.generate.Generator;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import dev.helixbg.llm.softmetal.SoftMetalSettings.Order;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares golden answers on the software Metal, which checks every access to memory, runs threads
 * in several orders, and runs work only when the host waits for it.
 */
@ResourceLock("softmetal")
class MetalStrictTest {
  private static final PassLimits LIMITS = new PassLimits(512, 256, 4);

  /**
   * Returns the model with two types of weights, or all models with {@code -Dgolden.all}. Other
   * tests run each type's kernels under all checks.
   */
  static List<GoldenModel> strict() {
    return GoldenContract.ALL ? List.of(GoldenModel.values()) : List.of(GoldenModel.Q4_K_M);
  }

  @ParameterizedTest
  @MethodSource("strict")
  void answersAreExactUnderAllChecks(GoldenModel golden) {
    Order order = Order.values()[(golden.ordinal() + 1) % Order.values().length];
    SoftMetalSettings settings = SoftMetalSettings.STRICT.order(order, 7).lazy(true);
    try (MetalTests metal = new MetalTests(settings)) {
      try (GgufFile file = GgufFile.read(MappedFile.open(golden.path()));
          GpuBackend backend = new GpuBackend(metal.device(), false)) {
        Qwen3 model = Qwen3.of(file, backend, LIMITS);
        GoldenCase expected = golden.cases().getFirst();
        int[] answer = answer(model, expected.promptIds(), expected.greedyIds().length);
        assertArrayEquals(expected.greedyIds(), answer);
        assertEquals(0, backend.copiedWeightBytes(), "weights are read where they lie");
      }
    }
  }

  private static int[] answer(Qwen3 model, int[] prompt, int tokens) {
    GenerationOptions options = new GenerationOptions(tokens, Set.of());
    try (KvCache cache = model.backend().cache(model.cacheShape())) {
      Generation answer =
          Generator.generate(
              new ForwardPasses(model, LIMITS), cache, prompt, options, id -> {}, () -> false);
      return answer.tokenIds();
    }
  }

  /**
   * Forks of one prefix generate tokens together. Their batches first have too many rows for
   * products with single vectors.
   */
  @Test
  void forksDecodeTogetherAsTheyDoAlone() {
    GoldenModel golden = GoldenModel.Q4_K_M;
    GoldenCase expected = golden.cases().getFirst();
    int[] prompt = expected.promptIds();
    int prefix = 40; // Within a block of the cache, so that each fork must copy the block.
    int sequences = 3;
    try (MetalTests metal = new MetalTests(SoftMetalSettings.STRICT.lazy(true))) {
      try (GgufFile file = GgufFile.read(MappedFile.open(golden.path()));
          Backend backend = new GpuBackend(metal.device(), false)) {
        Qwen3 model = Qwen3.of(file, backend, LIMITS);
        ForwardPasses work = new ForwardPasses(model, LIMITS);
        KvCache parent = backend.cache(model.cacheShape());
        work.read(parent, Arrays.copyOf(prompt, prefix), false, () -> false);
        List<KvCache> forks = new ArrayList<>();
        for (int i = 0; i < sequences; i++) {
          forks.add(parent.fork(prefix));
        }
        int[] rest = Arrays.copyOfRange(prompt, prefix, prompt.length);
        TokenSlots tokens = backend.tokens(2, 256);
        Batch batch = new Batch(256, 4);
        for (KvCache fork : forks) {
          int row = batch.add(fork, rest.length, 1);
          for (int i = 0; i < rest.length; i++) {
            tokens.set(0, row + i, rest[i]);
          }
        }
        int steps = GoldenContract.ALL ? expected.greedyIds().length : 6;
        for (int step = 0; step < steps; step++) {
          model.forward(batch, tokens, step % 2, Qwen3.NEVER);
          backend.argmax(batch, model.logits(), tokens, (step + 1) % 2);
          Submission submission = backend.submit();
          submission.await();
          for (int i = 0; i < sequences; i++) {
            assertEquals(expected.greedyIds()[step], tokens.get((step + 1) % 2, i), "fork " + i);
          }
          batch.clear();
          forks.forEach(fork -> batch.add(fork, 1, 1));
        }
      }
    }
  }

  /** Uses a device that runs nothing until the host waits, with several passes in flight. */
  @Test
  void answersThatGrowTogetherAreGolden() {
    PassLimits limits = new PassLimits(512, 256, 8);
    GoldenModel golden = GoldenModel.Q4_K_M;
    List<GoldenCase> cases =
        golden.cases().stream().filter(c -> c.task().equals("summary")).limit(3).toList();
    try (MetalTests metal = new MetalTests(SoftMetalSettings.FAST.lazy(true));
        GgufFile file = GgufFile.read(MappedFile.open(golden.path()));
        Backend backend = new GpuBackend(metal.device(), false)) {
      Qwen3 model = Qwen3.of(file, backend, limits);
      List<Generation> answers =
          Generator.generateAll(
              new ForwardPasses(model, limits),
              backend.cache(model.cacheShape()),
              cases.stream().map(GoldenCase::promptIds).toList(),
              new GenerationOptions(64, Set.of(GoldenModel.END)),
              () -> false);
      for (int i = 0; i < cases.size(); i++) {
        int[] greedy = cases.get(i).greedyIds();
        assertArrayEquals(
            Arrays.copyOf(greedy, greedy.length - 1), answers.get(i).tokenIds(), "answer " + i);
      }
      assertEquals(3, backend.counters().get(Counter.MOST_IN_FLIGHT));
    }
  }
}
