package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Rope;
import dev.helixbg.llm.backend.host.HostRope;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;

/** Rotation angles of all positions, written once, as {@link HostRope#table} has them. */
record GpuRope(GpuBuffer buffer, int positions) implements Rope {

  static GpuRope make(GpuDevice device, Arena arena, int headSize, double base, int positions) {
    GpuBuffer buffer = device.buffer(arena, "rope", 4L * headSize * positions);
    try (Arena own = Arena.ofConfined()) {
      HostRope angles = new HostRope(own, headSize, base, positions);
      angles.fillTo(positions);
      buffer.write(0, angles.table());
    }
    return new GpuRope(buffer, positions);
  }
}
