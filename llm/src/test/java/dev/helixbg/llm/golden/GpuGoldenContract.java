package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.util.List;

/** The golden models on the engine for GPUs, whatever drives them. */
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

  /** Of the others there are answers, and each type has a contract of its own. */
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
}
