package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.metal.MetalTests;
import dev.helixbg.llm.softmetal.SoftMetalSettings;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("softmetal")
class GrowableBufferTest {
  @Test
  void outgrownMemoryIsReleasedWhenNothingOnItsWayUsesIt() {
    try (MetalTests metal = new MetalTests(SoftMetalSettings.FAST.lazy(true))) {
      GpuDevice device = metal.device();
      try (Arena arena = Arena.ofShared()) {
        CommandRecorder recorder = new CommandRecorder(device, arena, new BackendCounters());
        GrowableBuffer scratch = recorder.scratch("scratch");
        recorder.table(1);
        recorder.submit();
        long before = device.memoryUsed();
        int times = 40;
        long step = 1 << 16;
        for (int i = 1; i <= times; i++) {
          recorder.table(1);
          assertTrue(scratch.of(i * step).bytes() >= i * step);
          assertEquals(scratch.of(1), scratch.of(i * step), "none is made while one is enough");
          recorder.submit();
        }
        long held = device.memoryUsed() - before;
        long most = (CommandBufferRing.DEPTH + 2) * times * step + 8 * 16 * 1024;
        assertTrue(held <= most, held + " bytes, where all that were made are " + step * 820);
        recorder.close();
      }
    }
  }
}
