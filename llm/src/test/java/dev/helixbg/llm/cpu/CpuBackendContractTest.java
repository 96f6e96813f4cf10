package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.tensor.TensorType;

class CpuBackendContractTest extends BackendContract {
  @Override
  protected Backend backend() {
    return new CpuBackend(2);
  }

  /** The kernel of Q4_K carries offsets of up to 2048 through its sums. */
  @Override
  protected double productBound(TensorType type) {
    return type == TensorType.Q4_K ? 3e-4 : 2e-5;
  }

  @Override
  protected double bound() {
    return 1e-5;
  }
}
