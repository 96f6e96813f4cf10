package dev.helixbg.llm.gpu.driver;

import java.lang.foreign.MemorySegment;

/**
 * Memory that kernels use. A buffer is released when its arena closes. A buffer equals only itself.
 */
public interface GpuBuffer {
  long bytes();

  /**
   * Returns the buffer's memory, for use by the host until the buffer's release.
   *
   * @throws UnsupportedOperationException if the buffer is neither shared nor staged, and the host
   *     cannot access the GPU's memory
   */
  MemorySegment data();

  // No work in flight may use the bytes that these methods read or write.

  void read(long offset, MemorySegment target);

  void write(long offset, MemorySegment source);

  /** Copies a whole buffer of the same device to the start of this buffer. */
  void copy(GpuBuffer source);
}
