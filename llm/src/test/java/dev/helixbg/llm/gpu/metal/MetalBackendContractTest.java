package dev.helixbg.llm.gpu.metal;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendContract;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
class MetalBackendContractTest extends BackendContract {
  private static MetalTests metal;

  @BeforeAll
  static void openDevice() {
    metal = new MetalTests(SoftMetalSettings.STRICT);
  }

  @AfterAll
  static void closeDevice() {
    if (metal != null) {
      metal.close();
    }
  }

  @Override
  protected Set<Storage> storages() {
    return EnumSet.of(Storage.F16, Storage.F32);
  }

  @Override
  protected Backend backend() {
    return new GpuBackend(metal.device());
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
