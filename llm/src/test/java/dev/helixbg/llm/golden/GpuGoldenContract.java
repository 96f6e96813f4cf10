package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
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

  /** All of them take minutes. */
  @Override
  int each() {
    return 1;
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
