package dev.helixbg.llm.gpu.driver;

import java.lang.foreign.Arena;

/**
 * A GPU, with the functions that the engine needs. One thread at a time may use a device and its
 * buffers. Command buffers run in the order of their commits. The default methods suit GPUs whose
 * memory the host can access.
 */
public interface GpuDevice extends AutoCloseable {
  /** Returns the driver's name that users see, {@code metal} or {@code cuda}. */
  String backend();

  String name();

  /** Returns the version and capabilities of the driver in a few words; may be empty. */
  default String driver() {
    return "";
  }

  /** Returns the recommended limit for the total size of all buffers, in bytes. */
  long memoryBudget();

  /** Returns the total size of this process's buffers, in bytes. */
  long memoryUsed();

  default long maxBufferBytes() {
    return Long.MAX_VALUE;
  }

  /**
   * Makes a buffer of zeros, which the host accesses by {@code read} and {@code write}.
   *
   * @param owner arena that releases the buffer when the arena closes
   * @param label name of the buffer in tools and messages
   * @throws GpuException if there is not enough memory
   */
  GpuBuffer buffer(Arena owner, String label, long bytes);

  /** Makes a buffer of zeros whose {@link GpuBuffer#data} both the host and kernels can access. */
  default GpuBuffer shared(Arena owner, String label, long bytes) {
    return buffer(owner, label, bytes);
  }

  /**
   * Makes a staged buffer: the host writes its {@link GpuBuffer#data}, and kernels read the data.
   * {@link GpuCommands#upload} makes the data visible to all kernels of that command buffer.
   *
   * @param other null, or a staged buffer of the same size that other command buffers use. The new
   *     buffer can share the GPU memory of {@code other}.
   */
  default GpuBuffer staged(Arena owner, String label, long bytes, GpuBuffer other) {
    return buffer(owner, label, bytes);
  }

  /**
   * Wraps memory pages as a buffer, without copying them. The GPU only reads this buffer. The pages
   * contain {@code bytes} bytes from {@code address} on; the buffer's first byte is at {@link
   * #pageStart}. The memory must stay mapped until {@code owner} closes.
   *
   * @return null if the GPU cannot read the pages in place; the caller must then copy the pages
   */
  default GpuBuffer pages(Arena owner, String label, long address, long bytes) {
    return null;
  }

  default long pageStart(long address) {
    return address;
  }

  /**
   * Returns whether a library can be used on this device. With CUDA, only libraries that were
   * compiled in advance can be used.
   */
  default boolean has(KernelLibrary library) {
    return true;
  }

  /**
   * Returns a kernel of a library. The library is compiled when it is first needed. Several threads
   * may call this method at once, each for a different library.
   *
   * @throws GpuException if the library cannot be compiled, or has no such kernel
   */
  GpuKernel kernel(KernelLibrary library, String kernel);

  /** Returns a command buffer, which the caller must close. */
  GpuCommands commands();

  /** Releases everything except buffers, which their arenas release. */
  @Override
  void close();

  /**
   * A kernel that can be dispatched, valid as long as its device.
   *
   * @param maxThreads largest number of threads of a threadgroup; it is below the device's limit if
   *     the kernel needs many registers
   */
  public record GpuKernel(long handle, String name, int maxThreads) {}
}
