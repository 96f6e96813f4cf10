package dev.helixbg.llm.gpu.metal;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import java.lang.foreign.MemorySegment;

/**
 * Memory that host and GPU share: every buffer is shared and staged.
 *
 * @param id the {@code MTLBuffer}
 */
record MetalBuffer(long id, MemorySegment data) implements GpuBuffer {
  @Override
  public long bytes() {
    return data.byteSize();
  }

  @Override
  public void read(long offset, MemorySegment target) {
    MemorySegment.copy(data, offset, target, 0, target.byteSize());
  }

  @Override
  public void write(long offset, MemorySegment source) {
    MemorySegment.copy(source, 0, data, offset, source.byteSize());
  }

  @Override
  public void copy(GpuBuffer source) {
    write(0, source.data());
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
