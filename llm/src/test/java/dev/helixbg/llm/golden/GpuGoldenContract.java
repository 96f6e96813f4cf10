package dev.helixbg.llm.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.generate.ChoiceScorer;
import dev.helixbg.llm.generate.ForwardPasses;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.model.Qwen3;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the golden models on the backend for GPUs, with Metal or CUDA. */
abstract class GpuGoldenContract extends GoldenContract {
  abstract GpuDevice device();

  @Override
  boolean isSlow() {
    return true;
  }

  @Override
  Backend backend() {
    return new GpuBackend(device(), false);
  }

  /**
   * Returns few models: the answers of all models, and the kernels of each type, have other tests.
   */
  @Override
  List<GoldenModel> inside() {
    return ALL ? super.inside() : inDepth();
  }

  @Override
  int tapped() {
    return ALL ? super.tapped() : 1;
  }

  @Override
  double logitBound() {
    return 2e-4;
  }

  @Override
  double tapBound() {
    return 5e-4;
  }

  /**
   * Tests choices that differ in the first, the second or the third token. A GPU reads the tokens
   * before the later differences in a pass of their own.
   */
  @ParameterizedTest
  @MethodSource("inDepth")
  void choicesShareAsOnTheScalarBackend(GoldenModel golden) {
    assertArrayEquals(shares(golden, new ScalarBackend()), shares(golden, backend()), 1e-3);
  }

  private static double[] shares(GoldenModel golden, Backend backend) {
    List<int[]> choices =
        List.of(
            new int[] {420, 663, 426}, new int[] {420, 663, 9}, new int[] {420, 11}, new int[] {5});
    // The model gives none of these choices nearly all of the probability.
    GoldenCase label =
        golden.cases().stream().filter(c -> c.task().equals("label")).findFirst().orElseThrow();
    try (GgufFile file = GgufFile.read(MappedFile.open(golden.path()));
        backend) {
      Qwen3 model = Qwen3.of(file, backend, LIMITS);
      ChoiceScorer scorer = new ChoiceScorer(new ForwardPasses(model, LIMITS));
      KvCache empty = backend.cache(model.cacheShape());
      return scorer.score(empty, List.of(label.promptIds()), choices, () -> false)[0];
    }
  }
}
