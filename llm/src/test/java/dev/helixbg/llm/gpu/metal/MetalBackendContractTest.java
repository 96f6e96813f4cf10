package dev.helixbg.llm.gpu.metal;

import dev.helixbg.llm.gpu.GpuBackendContract;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
class MetalBackendContractTest extends GpuBackendContract {
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
  protected GpuDevice device() {
    return metal.device();
  }
}
