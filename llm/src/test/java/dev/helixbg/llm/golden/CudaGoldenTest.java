package dev.helixbg.llm.golden;

import dev.helixbg.llm.gpu.cuda.CudaTests;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs the golden models on a real NVIDIA GPU, with {@code -Dgpu.real=true}. Without such a GPU,
 * {@code GpuCommandsIT} tests one answer on a simulated GPU.
 */
@EnabledIfSystemProperty(named = "gpu.real", matches = "true")
class CudaGoldenTest extends GpuGoldenContract {
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
  GpuDevice device() {
    return cuda.device();
  }
}
