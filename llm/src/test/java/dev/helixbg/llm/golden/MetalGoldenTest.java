package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The golden models under the software Metal, unchecked: {@code MetalStrictTest} checks memory. */
@ResourceLock("softmetal")
class MetalGoldenTest extends GoldenContract {
  /** All with {@code -Dgolden.all}, which takes minutes; else a spread of each task. */
  private static final int EACH = Boolean.getBoolean("golden.all") ? Integer.MAX_VALUE : 2;

  private static MetalTests metal;

  @BeforeAll
  static void openDevice() {
    metal = new MetalTests(SoftMetalSettings.FAST);
  }

  @AfterAll
  static void closeDevice() {
    if (metal != null) {
      metal.close();
    }
  }

  @Override
  Backend backend() {
    return new GpuBackend(metal.device());
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
