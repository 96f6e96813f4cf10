package dev.helixbg.llm.gpu.cuda;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ResourceLock("softmetal")
class CudaBackendContractTest extends BackendContract {
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
  protected Set<Storage> storages() {
    return EnumSet.of(Storage.F16, Storage.F32);
  }

  @Override
  protected Backend backend() {
    return new GpuBackend(cuda.device());
  }

  /** The kernel that differs from Metal's, where a thread has many registers, with all checks. */
  @Override
  @ParameterizedTest
  @EnumSource
  public void attentionAgrees(Storage storage) {
    cuda.configure(SoftMetalSettings.STRICT);
    try {
      super.attentionAgrees(storage);
    } finally {
      cuda.configure(SoftMetalSettings.FAST);
    }
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
