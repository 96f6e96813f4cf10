package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Rope;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Rotation angles of all positions, written once: per position the cosines of all pairs, then their
 * sines.
 */
record GpuRope(GpuBuffer buffer, int positions) implements Rope {

  static GpuRope make(GpuDevice device, Arena arena, int headSize, double base, int positions) {
    int pairs = headSize / 2;
    GpuBuffer buffer = device.buffer(arena, "rope", 4L * headSize * positions);
    float[] angles = new float[headSize];
    double[] turns = new double[pairs];
    for (int pair = 0; pair < pairs; pair++) {
      turns[pair] = Math.pow(base, -pair / (double) pairs);
    }
    try (Arena own = Arena.ofConfined()) {
      MemorySegment all = own.allocate(buffer.bytes(), 16);
      for (int position = 0; position < positions; position++) {
        for (int pair = 0; pair < pairs; pair++) {
          double angle = position * turns[pair];
          angles[pair] = (float) Math.cos(angle);
          angles[pairs + pair] = (float) Math.sin(angle);
        }
        MemorySegment.copy(
            angles, 0, all, ValueLayout.JAVA_FLOAT, 4L * position * headSize, headSize);
      }
      buffer.write(0, all);
    }
    return new GpuRope(buffer, positions);
  }
}
