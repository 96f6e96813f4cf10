package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Activations in the GPU's memory.
 *
 * @param stride distance between rows in floats, a multiple of 32, so that kernels read whole units
 *     of 32 columns; values after the last column are always zero
 */
record GpuActivations(GpuBuffer buffer, int rows, int columns, int stride) implements Activations {
  private static final int UNIT = 32;

  static GpuActivations allocate(GpuDevice device, Arena arena, int rows, int columns) {
    String label = "activations " + rows + "x" + columns;
    GpuBuffer buffer = device.buffer(arena, label, bytes(rows, columns));
    return new GpuActivations(buffer, rows, columns, stride(columns));
  }

  static GpuActivations in(GrowableBuffer scratch, int rows, int columns) {
    return new GpuActivations(
        scratch.renewed(bytes(rows, columns)), rows, columns, stride(columns));
  }

  private static int stride(int columns) {
    return Math.ceilDiv(columns, UNIT) * UNIT;
  }

  static long bytes(long rows, int columns) {
    return Math.multiplyExact(rows, (long) stride(columns) * Float.BYTES);
  }

  private long offset(int row) {
    return (long) row * stride * Float.BYTES;
  }

  @Override
  public void read(int row, float[] target) {
    buffer.read(offset(row), MemorySegment.ofArray(target).asSlice(0, 4L * columns));
  }

  @Override
  public void write(int row, float[] source) {
    buffer.write(offset(row), MemorySegment.ofArray(source).asSlice(0, 4L * columns));
  }
}
