package dev.helixbg.llm.metal;

import dev.helixbg.llm.backend.Activations;
import dev.helixbg.llm.metal.shim.MetalBuffer;
import dev.helixbg.llm.metal.shim.MetalDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Floats that host and GPU share.
 *
 * @param stride floats from one row to the next: a multiple of 32, so that kernels read whole
 *     units; what is past the columns is always zero
 */
record MetalActivations(MetalBuffer buffer, int rows, int columns, int stride)
    implements Activations {
  private static final int UNIT = 32;

  static MetalActivations allocate(MetalDevice device, Arena arena, int rows, int columns) {
    int stride = Math.ceilDiv(columns, UNIT) * UNIT;
    long bytes = Math.multiplyExact((long) rows, (long) stride * Float.BYTES);
    return new MetalActivations(
        device.buffer(arena, "activations " + rows + "x" + columns, bytes), rows, columns, stride);
  }

  private long offset(int row) {
    return (long) row * stride * Float.BYTES;
  }

  @Override
  public float get(int row, int column) {
    return buffer.data().get(ValueLayout.JAVA_FLOAT, offset(row) + (long) column * Float.BYTES);
  }

  @Override
  public void read(int row, float[] target) {
    MemorySegment.copy(buffer.data(), ValueLayout.JAVA_FLOAT, offset(row), target, 0, columns);
  }

  @Override
  public void write(int row, float[] source) {
    MemorySegment.copy(source, 0, buffer.data(), ValueLayout.JAVA_FLOAT, offset(row), columns);
  }
}
