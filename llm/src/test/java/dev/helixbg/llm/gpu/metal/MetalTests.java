package dev.helixbg.llm.gpu.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.softmetal.SoftMetal;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.condition.OS;

/**
 * Metal device for tests: the software Metal, or on a Mac the real one. With the software Metal,
 * {@link #close} checks that tests made no errors and released all objects.
 */
public final class MetalTests implements AutoCloseable {
  private final Optional<SoftMetal> metal;
  private final MetalDevice device;

  public MetalTests(SoftMetalSettings settings) {
    metal = OS.MAC.isCurrentOs() ? Optional.empty() : Optional.of(SoftMetal.loadOrSkip());
    configure(settings);
    takeFindings();
    metal.ifPresent(soft -> soft.requirePools(true));
    device = open();
  }

  MetalDevice open() {
    return MetalDevice.open(library());
  }

  String library() {
    return metal.map(soft -> soft.library().toString()).orElse("");
  }

  long compiledKernels() {
    return metal.orElseThrow().compiledKernels();
  }

  public MetalDevice device() {
    return device;
  }

  public GpuKernel kernel(String name, String source) {
    return device.kernel(new KernelLibrary("test", source, List.of()), name);
  }

  public void configure(SoftMetalSettings settings) {
    metal.ifPresent(soft -> soft.configure(settings));
  }

  public List<String> takeFindings() {
    return metal.map(SoftMetal::takeFindings).orElse(List.of());
  }

  public static void releaseRested() {
    MetalDevice rested = MetalDevice.AT_REST.getAndSet(null);
    if (rested != null) {
      rested.arena.close();
    }
  }

  @Override
  public void close() {
    device.close();
    metal.ifPresent(soft -> soft.requirePools(false));
    assertEquals(List.of(), takeFindings());
    metal.ifPresent(soft -> assertEquals(List.of(), soft.liveObjects()));
  }
}
