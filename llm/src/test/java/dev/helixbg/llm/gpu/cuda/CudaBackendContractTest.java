package dev.helixbg.llm.gpu.cuda;

import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackendContract;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ResourceLock("softmetal")
class CudaBackendContractTest extends GpuBackendContract {
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
  protected GpuDevice device() {
    return cuda.device();
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
}
