package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.cuda.CudaTests;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The golden models on a real NVIDIA GPU, with {@code -Dgpu.real=true}; {@code GpuCommandsIT} has
 * one answer from the stand-in.
 */
@EnabledIfSystemProperty(named = "gpu.real", matches = "true")
class CudaGoldenTest extends GoldenContract {
  /** All with {@code -Dgolden.all}, which takes minutes; else a spread of each task. */
  private static final int EACH = Boolean.getBoolean("golden.all") ? Integer.MAX_VALUE : 1;

  private static CudaTests cuda;

  @BeforeAll
  static void openDevice() {
    cuda = new CudaTests(SoftMetalSettings.FAST);
  }

  @AfterAll
  static void closeDevice() {
    if (cuda != null) {
      cuda.close();
    }
  }

  @Override
  Backend backend() {
    return new GpuBackend(cuda.device());
  }

  @Override
  Set<Storage> rounding() {
    return Set.of(Storage.F16);
  }

  @Override
  List<GoldenCase> generated(List<GoldenCase> cases) {
    return List.of("label", "summary", "pair").stream()
        .flatMap(task -> cases.stream().filter(c -> c.task().equals(task)).limit(EACH))
        .toList();
  }

  @Override
  double logitBound() {
    return 5e-5;
  }

  @Override
  double tapBound() {
    return 5e-5;
  }
}
