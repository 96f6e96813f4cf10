package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Floats of the GPU.
 *
 * @param stride floats from one row to the next: a multiple of 32, so that kernels read whole
 *     units; what is past the columns is always zero
 */
record GpuActivations(GpuBuffer buffer, int rows, int columns, int stride) implements Activations {
  private static final int UNIT = 32;

  static GpuActivations allocate(GpuDevice device, Arena arena, int rows, int columns) {
    int stride = Math.ceilDiv(columns, UNIT) * UNIT;
    long bytes = Math.multiplyExact((long) rows, (long) stride * Float.BYTES);
    return new GpuActivations(
        device.buffer(arena, "activations " + rows + "x" + columns, bytes), rows, columns, stride);
  }

  private long offset(int row) {
    return (long) row * stride * Float.BYTES;
  }

  @Override
  public float get(int row, int column) {
    float[] value = new float[1];
    buffer.read(offset(row) + (long) column * Float.BYTES, MemorySegment.ofArray(value));
    return value[0];
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
