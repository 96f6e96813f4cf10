package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.util.List;

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
}
