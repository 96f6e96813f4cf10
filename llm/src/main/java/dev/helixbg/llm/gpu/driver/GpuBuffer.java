package dev.helixbg.llm.gpu.driver;

import java.lang.foreign.MemorySegment;

/**
 * Memory that the GPU's kernels can read and write. A buffer is released when the arena that owns
 * it closes. A buffer equals only itself.
 */
public interface GpuBuffer {
  long bytes();

  /**
   * Returns the buffer's memory, which the host may use until the buffer is released.
   *
   * @throws UnsupportedOperationException if the buffer was made neither by {@link
   *     GpuDevice#shared} nor by {@link GpuDevice#staged}, and the host cannot access the GPU's
   *     memory
   */
  MemorySegment data();

  // The GPU must not be using the bytes that these methods read or write.

  void read(long offset, MemorySegment target);

  void write(long offset, MemorySegment source);

  /** Copies a whole buffer of the same device to the start of this buffer. */
  void copy(GpuBuffer source);
}
