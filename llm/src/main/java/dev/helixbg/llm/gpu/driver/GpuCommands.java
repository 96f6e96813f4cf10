package dev.helixbg.llm.gpu.driver;

import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import java.lang.foreign.MemorySegment;

/**
 * A command buffer: work for the GPU that is encoded, then committed, then awaited. Dispatches
 * (starts of kernels) may run in parallel if there is no barrier between them. Command buffers run
 * one after another.
 */
public interface GpuCommands extends AutoCloseable {
  void kernel(GpuKernel kernel);

  void buffer(int index, GpuBuffer buffer, long offset);

  /** Copies {@code length} bytes of constants into the command buffer as argument {@code index}. */
  void constants(int index, MemorySegment constants, int length);

  /** Sets the size of threadgroup memory (argument 0), in bytes, rounded up to a multiple of 16. */
  void threadgroupBytes(int length);

  /** Dispatches {@code x · y · z} threadgroups, each with a row of {@code threads} threads. */
  void dispatch(int x, int y, int z, int threads);

  /** Makes writes of earlier dispatches visible to later ones, where this is not automatic. */
  default void barrier() {}

  /**
   * Makes the host's writes to a staged buffer visible to later dispatches, on GPUs where this is
   * not automatic.
   */
  default void upload(GpuBuffer staged, long offset, long bytes) {}

  void commit();

  /** Returns whether the work has ended or failed. */
  boolean ended();

  void await();

  @Override
  void close();
}
