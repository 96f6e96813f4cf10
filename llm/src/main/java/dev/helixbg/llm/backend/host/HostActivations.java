package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Backend.Activations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Floats in native memory, in the machine's byte order.
 *
 * @param stride distance between the starts of adjacent rows, in floats: an odd multiple of 16.
 *     Every row begins on a 64-byte boundary, so that no 512-bit load crosses a cache line. Because
 *     the multiple is odd, the values of a column are spread over all sets of a CPU cache.
 */
public record HostActivations(MemorySegment data, int rows, int columns, int stride)
    implements Activations {
  private static final int FLOATS_PER_LINE = HostMemory.ALIGNMENT / Float.BYTES;

  static HostActivations allocate(Arena arena, int rows, int columns) {
    int stride = (Math.ceilDiv(columns, FLOATS_PER_LINE) | 1) * FLOATS_PER_LINE;
    long bytes = Math.multiplyExact((long) rows, (long) stride * Float.BYTES);
    return new HostActivations(HostMemory.allocate(arena, bytes), rows, columns, stride);
  }

  long offset(int row) {
    return (long) row * stride * Float.BYTES;
  }

  public long address(int row) {
    return data.address() + offset(row);
  }

  @Override
  public void read(int row, float[] target) {
    MemorySegment.copy(data, ValueLayout.JAVA_FLOAT, offset(row), target, 0, columns);
  }

  @Override
  public void write(int row, float[] source) {
    MemorySegment.copy(source, 0, data, ValueLayout.JAVA_FLOAT, offset(row), columns);
  }
}
