package dev.helixbg.llm.metal.shim;

import java.lang.foreign.MemorySegment;

/**
 * Memory that host and GPU share. It is released when the arena closes that it was made for.
 *
 * @param id the {@code MTLBuffer}
 * @param data what the host sees of it; unusable once it is released
 */
public record MetalBuffer(long id, MemorySegment data) {
  public long bytes() {
    return data.byteSize();
  }

  /** Two buffers are the same only if they are one. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
