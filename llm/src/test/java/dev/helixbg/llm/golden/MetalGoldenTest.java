package dev.helixbg.llm.golden;

import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs the golden models on the software Metal, which checks memory only in {@code
 * MetalStrictTest}.
 */
@ResourceLock("softmetal")
class MetalGoldenTest extends GpuGoldenContract {
  private static MetalTests metal;

  @BeforeAll
  static void openDevice() {
    metal = new MetalTests(SoftMetalSettings.FAST);
  }

  @AfterAll
  static void closeDevice() {
    if (metal != null) {
      metal.close();
    }
  }

  @Override
  GpuDevice device() {
    return metal.device();
  }
}
