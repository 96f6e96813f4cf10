package dev.helixbg.llm.metal;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.metal.shim.MetalDevice;
import dev.helixbg.llm.metal.shim.MetalLibraries;
import dev.helixbg.llm.tensor.TensorType;

class MetalBackendContractTest extends BackendContract {
  private static MetalDevice device;

  @Override
  protected Backend backend() {
    if (device == null) {
      device = MetalDevice.open(MetalLibraries.configured());
    }
    return new MetalBackend(device);
  }

  @Override
  protected double productBound(TensorType type) {
    return 2e-5;
  }

  @Override
  protected double bound() {
    return 1e-5;
  }

  /** Fast math may fuse what is rounded twice elsewhere. */
  @Override
  protected double embeddingBound() {
    return 1e-6;
  }
}
