package dev.helixbg.llm.gpu.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.gpu.driver.GpuKernel;
import dev.helixbg.llm.softmetal.SoftMetal;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;

/**
 * The software Metal as the product sees it: a device for some tests, that must leave nothing
 * behind.
 */
public final class MetalTests implements AutoCloseable {
  private final SoftMetal metal;
  private final MetalDevice device;

  /** Skips the test if there is no software Metal. */
  public MetalTests(SoftMetalSettings settings) {
    metal = SoftMetal.loadOrSkip();
    metal.configure(settings);
    metal.takeFindings();
    metal.requirePools(true);
    device = MetalDevice.open(libraries());
  }

  public MetalDevice device() {
    return device;
  }

  /** A kernel of a source of the test's own. */
  public GpuKernel kernel(String name, String source) {
    return device.pipeline("test", () -> source, name);
  }

  public MetalLibraries libraries() {
    return new MetalLibraries(List.of(metal.library()));
  }

  /** From now on. */
  public void configure(SoftMetalSettings settings) {
    metal.configure(settings);
  }

  /** What was found wrong since the last call, for tests that do wrong. */
  public List<String> takeFindings() {
    return metal.takeFindings();
  }

  /** Nothing was found, and everything is released. */
  @Override
  public void close() {
    device.close();
    metal.requirePools(false);
    assertEquals(List.of(), metal.takeFindings());
    assertEquals(List.of(), metal.liveObjects());
  }
}
