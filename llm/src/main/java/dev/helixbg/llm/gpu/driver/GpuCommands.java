package dev.helixbg.llm.gpu.driver;

import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import java.lang.foreign.MemorySegment;

/**
 * Work for the GPU: encoded, then committed, then waited for. Dispatches may run beside each other
 * but for barriers; command buffers run one after another.
 */
public interface GpuCommands extends AutoCloseable {
  /** The kernel of the dispatch that follows. */
  void kernel(GpuKernel kernel);

  /** Binds a buffer, from byte {@code offset} on, to argument {@code index}. */
  void buffer(int index, GpuBuffer buffer, long offset);

  /** Copies a few constants, as argument {@code index}. */
  void constants(int index, MemorySegment constants, int length);

  /** Bytes of threadgroup memory for argument 0; rounded up to a multiple of 16. */
  void threadgroupBytes(int length);

  /** Starts {@code x · y · z} threadgroups of {@code threads} threads in a row. */
  void dispatch(int x, int y, int z, int threads);

  /**
   * Lets all that follows see what was written to buffers before; does nothing where it does
   * anyway.
   */
  default void barrier() {}

  /** Kernels that follow see what the host wrote to a part of a staged buffer; as above. */
  default void upload(GpuBuffer staged, long offset, long bytes) {}

  /** Hands the work to the GPU. */
  void commit();

  /** Whether it has ended, well or not. */
  boolean ended();

  /**
   * Blocks until it has ended.
   *
   * @throws GpuException with the driver's reason if it failed
   */
  void await();

  /** Lets go of it, committed or not. */
  @Override
  void close();
}
