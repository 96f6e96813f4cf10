package dev.helixbg.llm.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.generate.ForwardPasses;
import dev.helixbg.llm.generate.Generator;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.model.Qwen3.TapListener.Tap;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that every backend must pass with the golden models (small trained models with known
 * results).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // inDepth() is a backend's own
abstract class GoldenContract {
  /** Whether all answers are generated, and all models and cases are checked in every test. */
  static final boolean ALL = Boolean.getBoolean("golden.all");

  static final PassLimits LIMITS = new PassLimits(2048, 512, 4);

  abstract Backend backend();

  /** Returns whether all cases would take minutes. Then only some run, except with -Dgolden.all. */
  boolean isSlow() {
    return false;
  }

  private boolean isPart() {
    return isSlow() && !ALL;
  }

  /** Returns the models with which batches and forks are also tested. */
  final List<GoldenModel> inDepth() {
    // BackendContract tests the products of each type.
    return isPart() ? List.of(GoldenModel.Q4_K_M) : List.of(GoldenModel.Q8_0, GoldenModel.Q4_K_M);
  }

  /** Returns the models whose intermediate results (taps) are also compared. */
  List<GoldenModel> inside() {
    return List.of(GoldenModel.values());
  }

  /** Returns the maximum number of cases per model whose intermediate results are compared. */
  int tapped() {
    return Integer.MAX_VALUE;
  }

  /**
   * Returns the largest permitted error of logits, divided by the largest logit. The expected
   * results were computed with keys and values in f32. Storing them in f16 changes logits by up to
   * 4e-5, and taps (intermediate results) by up to 1e-4.
   */
  abstract double logitBound();

  /** Returns {@link #logitBound()} for one model; some backends compute some types less exactly. */
  double logitBound(GoldenModel golden) {
    return logitBound();
  }

  /** Returns the largest permitted error of a tap's values, divided by the tap's largest value. */
  abstract double tapBound();

  /** Returns {@link #tapBound()} for one model; some backends compute some types less exactly. */
  double tapBound(GoldenModel golden) {
    return tapBound();
  }

  /**
   * Returns how much other sequences in a batch may change logits, divided by the largest logit.
   */
  double othersBound(GoldenModel golden) {
    return 1e-6;
  }

  @ParameterizedTest
  @EnumSource
  void greedyAnswersAreExact(GoldenModel golden) {
    with(
        golden,
        model -> {
          ForwardPasses work = new ForwardPasses(model, LIMITS);
          for (GoldenCase expected : generated(golden)) {
            assertArrayEquals(
                expected.greedyIds(), greedy(model, work, expected), expected.toString());
          }
        });
  }

  /**
   * Returns the cases whose answers are generated: all with {@code -Dgolden.all}, otherwise {@code
   * -Dgolden.each} cases per task. On a slow backend, each model gets cases of only one task, and
   * the models get different tasks.
   */
  private List<GoldenCase> generated(GoldenModel golden) {
    if (ALL) {
      return golden.cases();
    }
    int each = Integer.getInteger("golden.each", isSlow() ? 1 : 2);
    List<String> tasks = List.of("label", "summary", "pair");
    return tasks.stream()
        .filter(task -> !isSlow() || task.equals(tasks.get(golden.ordinal() % 3)))
        .flatMap(task -> golden.cases().stream().filter(c -> c.task().equals(task)).limit(each))
        .toList();
  }

  private static int[] greedy(Qwen3 model, ForwardPasses work, GoldenCase expected) {
    try (KvCache cache = model.backend().cache(model.cacheShape())) {
      GenerationOptions options = new GenerationOptions(64, Set.of(GoldenModel.END));
      Generation answer =
          Generator.generate(work, cache, expected.promptIds(), options, id -> {}, () -> false);
      assertEquals(StopReason.STOP_TOKEN, answer.stopReason());
      int[] ids = Arrays.copyOf(answer.tokenIds(), answer.tokenIds().length + 1);
      ids[ids.length - 1] = answer.stopToken();
      return ids;
    }
  }

  @ParameterizedTest
  @MethodSource("inside")
  void logitsAndTapsAreWithinTheirBounds(GoldenModel golden) {
    with(
        golden,
        model ->
            golden.cases().stream()
                .filter(expected -> expected.taps() != null)
                .limit(tapped())
                .forEach(expected -> compareInside(golden, model, expected)));
  }

  /** Reading a prompt in parts, on a fork, or together with other prompts changes logits little. */
  @ParameterizedTest
  @MethodSource("inDepth")
  void logitsDependOnTheSequenceAlone(GoldenModel golden) {
    List<int[]> prompts = golden.cases().stream().limit(3).map(GoldenCase::promptIds).toList();
    int[] prompt = prompts.getFirst();
    with(
        golden,
        model -> {
          ForwardPasses work = new ForwardPasses(model, LIMITS);
          float[] expected = new float[model.vocabulary()];
          try (KvCache cache = model.backend().cache(model.cacheShape())) {
            readIn(work, cache, prompt, prompt.length);
            model.backend().submit().await();
            model.logits().read(0, expected);
          }
          int most = prompt.length - 1;
          for (int part : isPart() ? new int[] {7} : new int[] {1, 7, 16, most}) {
            try (KvCache cache = model.backend().cache(model.cacheShape())) {
              readIn(work, cache, prompt, part);
              assertLogits("parts of " + part, expected, model, 0, logitBound(golden));
            }
          }
          KvShape shape = model.cacheShape();
          for (int prefix : isPart() ? new int[] {40} : new int[] {1, 16, 40}) {
            try (KvCache parent = model.backend().cache(shape);
                KvCache fork = forkAfter(work, parent, prompt, prefix)) {
              int[] rest = Arrays.copyOfRange(prompt, prefix, prompt.length);
              readIn(work, fork, rest, rest.length);
              assertLogits("fork at " + prefix, expected, model, 0, logitBound(golden));
            }
          }
          Batch batch = new Batch(512, 4);
          TokenSlots tokens = model.backend().tokens(1, 512);
          for (int[] ids : prompts.reversed()) {
            int row = batch.add(model.backend().cache(shape), ids.length, 1);
            for (int i = 0; i < ids.length; i++) {
              tokens.set(0, row + i, ids[i]);
            }
          }
          model.forward(batch, tokens, 0, Qwen3.NEVER);
          assertLogits("among others", expected, model, prompts.size() - 1, othersBound(golden));
        });
  }

  /** Reads ids, at most {@code part} per call. The logits of the last id are not yet submitted. */
  private static void readIn(ForwardPasses work, KvCache cache, int[] ids, int part) {
    for (int from = 0; from < ids.length; from += part) {
      int to = Math.min(ids.length, from + part);
      work.read(cache, Arrays.copyOfRange(ids, from, to), to == ids.length, () -> false);
    }
  }

  /** Returns a fork of a parent that then continues with other tokens. */
  private static KvCache forkAfter(ForwardPasses work, KvCache parent, int[] prompt, int prefix) {
    work.read(parent, Arrays.copyOf(prompt, prefix), false, () -> false);
    KvCache fork = parent.fork(prefix);
    work.read(parent, new int[] {5, 6, 7, 8, 9}, false, () -> false);
    return fork;
  }

  private static void assertLogits(
      String what, float[] expected, Qwen3 model, int row, double bound) {
    model.backend().submit().await();
    float[] actual = new float[expected.length];
    model.logits().read(row, actual);
    assertClose(what, expected, actual, bound);
  }

  private void compareInside(GoldenModel golden, Qwen3 model, GoldenCase expected) {
    Map<String, float[]> seen = new HashMap<>();
    int last = expected.promptIds().length - 1;
    model.observe(
        (tap, layer, values) -> {
          float[] row = new float[values.columns()];
          values.read(tap == Tap.LOGITS ? 0 : last, row);
          switch (tap) {
            case EMBEDDING -> seen.put("embd", Arrays.copyOf(row, 8));
            case LAYER_OUTPUT -> seen.put("layer" + layer, Arrays.copyOf(row, 8));
            case LOGITS -> seen.put("logits", row);
            default -> {}
          }
        });
    ForwardPasses work = new ForwardPasses(model, LIMITS);
    try (KvCache cache = model.backend().cache(model.cacheShape())) {
      GenerationOptions options = new GenerationOptions(1, Set.of());
      Generator.generate(work, cache, expected.promptIds(), options, id -> {}, () -> false);
    }
    assertClose("logits", expected.logits(), seen.get("logits"), logitBound(golden));
    expected
        .taps()
        .forEach((name, tap) -> assertClose(name, tap, seen.get(name), tapBound(golden)));
  }

  private static void assertClose(String name, float[] expected, float[] actual, double bound) {
    assertEquals(expected.length, actual.length, name);
    double largest = 0;
    double worst = 0;
    for (int i = 0; i < expected.length; i++) {
      largest = Math.max(largest, Math.abs(expected[i]));
      worst = Math.max(worst, Math.abs(expected[i] - actual[i]));
    }
    assertTrue(worst <= bound * largest, name + " off by " + worst / largest + " of the largest");
  }

  private void with(GoldenModel golden, Consumer<Qwen3> test) {
    try (GgufFile file = GgufFile.read(MappedFile.open(golden.path()));
        Backend backend = backend()) {
      test.accept(Qwen3.of(file, backend, LIMITS));
    }
  }
}
