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

  /** Fills {@code target} from byte {@code offset} on; nothing on its way may write there. */
  void read(long offset, MemorySegment target);

  /** Writes all of {@code source} from byte {@code offset} on; nothing on its way may use it. */
  void write(long offset, MemorySegment source);

  /** Takes all that another buffer of the same device holds to its own start, as {@link #write}. */
  void copy(GpuBuffer source);
}
