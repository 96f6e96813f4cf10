package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that products are bit-identical for any number of threads. */
class ThreadCountTest {
  @AutoClose private final Arena arena = Arena.ofShared();

  @ParameterizedTest
  @CsvSource({"Q4_K, 1", "Q4_K, 40", "Q6_K, 3", "F32, 1", "Q8_0, 12"})
  void whoTakesWhichPartChangesNoBit(TensorType type, int rows) {
    Tensor weights = CpuProduct.weights(arena, type, 4096, 512);
    float[][] alone;
    try (CpuBackend backend = new CpuBackend(1, () -> {})) {
      alone = CpuProduct.of(backend, weights, rows);
    }
    try (CpuBackend backend = new CpuBackend(4, () -> {})) {
      for (int round = 0; round < 3; round++) {
        assertArrayEquals(alone, CpuProduct.of(backend, weights, rows));
      }
    }
  }
}
