package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.util.List;
import java.util.Set;

/** The golden models on the engine for GPUs, whatever drives them. */
abstract class GpuGoldenContract extends GoldenContract {
  abstract GpuDevice device();

  @Override
  Backend backend() {
    return new GpuBackend(device());
  }

  @Override
  Set<Storage> rounding() {
    return Set.of(Storage.F16);
  }

  /** One of each task; all of them, which takes minutes, with {@code -Dgolden.all}. */
  @Override
  List<GoldenCase> generated(List<GoldenCase> cases) {
    int each = Boolean.getBoolean("golden.all") ? Integer.MAX_VALUE : 1;
    return List.of("label", "summary", "pair").stream()
        .flatMap(task -> cases.stream().filter(c -> c.task().equals(task)).limit(each))
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
