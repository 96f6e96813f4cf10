package dev.helixbg.llm.gpu.driver;

import java.lang.foreign.MemorySegment;

/**
 * Memory that kernels use. It is released when the arena closes that it was made for. Two buffers
 * are equal only if they are one.
 */
public interface GpuBuffer {
  long bytes();

  /**
   * Returns what the host sees of it; unusable once it is released.
   *
   * @throws UnsupportedOperationException if it is neither shared nor staged, and the host sees
   *     nothing of the GPU's memory
   */
  MemorySegment data();

  /** Fills {@code target} from byte {@code offset} on; no pending work may write these bytes. */
  void read(long offset, MemorySegment target);

  /** Writes all of {@code source} from byte {@code offset} on; no pending work may use them. */
  void write(long offset, MemorySegment source);

  /** Copies all of another buffer of the same device to its own start, as {@link #write}. */
  void copy(GpuBuffer source);
}
