package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumSet;
import java.util.Set;

/** The contract as the engine for GPUs keeps it, whatever drives them. */
public abstract class GpuBackendContract extends BackendContract {
  protected abstract GpuDevice device();

  @Override
  protected Backend backend() {
    return new GpuBackend(device());
  }

  /** All of it, which takes minutes, with {@code -Dcontract.all=true}. */
  @Override
  protected boolean isComplete() {
    return Boolean.getBoolean("contract.all");
  }

  @Override
  protected Set<Storage> storages() {
    return EnumSet.of(Storage.F16, Storage.F32);
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
